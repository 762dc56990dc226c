// Every setting of the baselines, with defaults in place; one struct for all of them, as they share
// most. validate() names the field, its value and the rule that it broke.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vargp/core/setting_table.h"
#include "vargp/core/types.h"

namespace vargp {

enum class BaselineKind {
  kVcl,             // variational continual learning, mean-field, with or without a coreset
  kEwc,             // elastic weight consolidation
  kSi,              // synaptic intelligence
  kReplay,          // raw rows of old tasks mixed into every batch
  kFineTune,        // the network just goes on: the lower bound
  kJoint,           // the same network, all tasks at once: the upper bound
  kRandomFeatures,  // sums over random features: cannot forget
};
enum class Heads { kSingle, kPerTask };
enum class CoresetChoice { kRandom, kKCentre };
enum class Readout { kRidge, kLda };

struct BaselineOptions {
  BaselineKind model = BaselineKind::kVcl;
  std::uint64_t seed = 1;

  // The network and its learning: ReLU between the layers, Adam, started anew for every task.
  std::vector<Index> hidden = {100, 100};
  Heads heads = Heads::kSingle;  // per task: the head is told at the test, which makes it easier
  double learning_rate = 0.001;
  Index batch = 256;
  Index epochs = 20;

  // ewc: lambda, 1 is Laplace's approximation. si: c. 0 is fine-tuning.
  double strength = 1;
  double damping = 0.1;  // xi of si

  // vcl
  double prior_variance = 1;
  double initial_variance = 1e-6;
  bool decay = false;         // steps get shorter over a task, down to nothing
  bool whitened = false;      // means move in deviations of the prior: what is held firmly, less
  double variance_rate = 50;  // log variances learn faster than means by this: they have far to go
  Index predict_samples = 100;
  Index coreset = 0;  // rows kept of each task, learned from before prediction
  CoresetChoice coreset_choice = CoresetChoice::kRandom;
  Index coreset_epochs = 200;
  double coreset_weight = 1;  // a kept row counts as so many: it stands for others that are gone

  Index buffer = 500;  // replay: rows kept of all tasks together

  // random-features
  Index features = 4000;
  std::optional<double> lengthscale;
  double lengthscale_factor = 0.4;  // of the median distance between points, as for the GP
  double ridge = 0.01;
  Readout readout = Readout::kRidge;

  void validate() const;
};

// The same three as for the GP's Options (models/settings.h).
std::vector<Setting> baseline_settings();
void set(BaselineOptions& options, std::string_view name, const nlohmann::json& value);
nlohmann::ordered_json to_json(const BaselineOptions& options);

}  // namespace vargp
