// Whatever can be run by name: a GP or a baseline, with its settings.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "vargp/baselines/learner.h"
#include "vargp/baselines/options.h"
#include "vargp/data/stream.h"
#include "vargp/models/options.h"

namespace vargp {

using ModelChoice = std::variant<Options, BaselineOptions>;

// How the tasks of a stream are met.
enum class Regime {
  kContinual,  // one after the other
  kJoint,      // all at once, as one task: the upper bound
  kFineTune,   // one after the other, by a GP that begins anew with each: the lower bound. (A
               // network that just goes on is a baseline of its own.)
};

// The preset of the model of that name. An unknown name gives an error with all there are.
ModelChoice choose(const std::string& experiment, const std::string& model,
                   const std::string& preset);
std::vector<std::string> model_names();

void set(ModelChoice& choice, const std::string& name, const nlohmann::json& value);
void set_seed(ModelChoice& choice, std::uint64_t seed);
Index epochs_of(const ModelChoice& choice);
void validate(const ModelChoice& choice, Regime regime);
nlohmann::ordered_json to_json(const ModelChoice& choice);

std::unique_ptr<Learner> make_learner(const ModelChoice& choice, const Stream& stream,
                                      Regime regime, int threads);

}  // namespace vargp
