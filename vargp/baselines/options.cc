#include "vargp/baselines/options.h"

#include <cmath>

#include "vargp/core/error.h"

namespace vargp {
namespace {

const std::vector<SettingEntry<BaselineOptions>>& entries() {
  using O = BaselineOptions;
  static const std::vector<SettingEntry<O>> table = {
      choice<BaselineKind>("model", &O::model,
                           {{"vcl", BaselineKind::kVcl},
                            {"ewc", BaselineKind::kEwc},
                            {"si", BaselineKind::kSi},
                            {"replay", BaselineKind::kReplay},
                            {"fine-tune", BaselineKind::kFineTune},
                            {"joint", BaselineKind::kJoint},
                            {"random-features", BaselineKind::kRandomFeatures}},
                           "which baseline"),
      whole("seed", &O::seed, "of all random numbers"),
      whole_list("hidden", &O::hidden, "widths of the hidden layers, as 100,100"),
      choice<Heads>("heads", &O::heads, {{"single", Heads::kSingle}, {"per-task", Heads::kPerTask}},
                    "of ewc and si; per-task is told the task at the test"),
      number("learning-rate", &O::learning_rate, "of the optimizer"),
      whole("batch", &O::batch, "B, points of a mini-batch"),
      whole("epochs", &O::epochs, "passes over each task"),
      number("strength", &O::strength, "lambda of ewc, c of si: how firmly old tasks are held"),
      number("damping", &O::damping, "xi of si"),
      number("prior-variance", &O::prior_variance, "of vcl's weights"),
      number("initial-variance", &O::initial_variance, "of vcl's weights at the start"),
      number("variance-rate", &O::variance_rate,
             "vcl: learning rate of log variances, in those of means"),
      flag("whitened", &O::whitened,
           "vcl: the learning rate of a mean is in deviations of its prior, the last posterior"),
      flag("decay", &O::decay, "vcl: steps get shorter over a task, down to nothing"),
      whole("predict-samples", &O::predict_samples, "networks that vcl's prediction averages"),
      whole("coreset", &O::coreset, "rows of each task that vcl keeps"),
      choice<CoresetChoice>(
          "coreset-choice", &O::coreset_choice,
          {{"random", CoresetChoice::kRandom}, {"k-centre", CoresetChoice::kKCentre}},
          "how they are chosen"),
      whole("coreset-epochs", &O::coreset_epochs, "steps on the coreset before prediction"),
      number("coreset-weight", &O::coreset_weight, "how many rows a kept one counts as"),
      whole("buffer", &O::buffer, "rows of all tasks together that replay keeps"),
      whole("features", &O::features, "random features"),
      optional_number("lengthscale", &O::lengthscale, "of their kernel, or auto"),
      number("lengthscale-factor", &O::lengthscale_factor,
             "that lengthscale as a multiple of the median distance between points"),
      number("ridge", &O::ridge, "added to the diagonal of their sums"),
      choice<Readout>("readout", &O::readout, {{"ridge", Readout::kRidge}, {"lda", Readout::kLda}},
                      "what is computed from the sums"),
  };
  return table;
}

void positive(std::string_view field, double value) {
  require(value > 0 && std::isfinite(value), "{} = {:g}: must be a number above 0", field, value);
}

void at_least(std::string_view field, Index value, Index least) {
  require(value >= least, "{} = {}: must be at least {}", field, value, least);
}

}  // namespace

void BaselineOptions::validate() const {
  for (const Index width : hidden) at_least("hidden", width, 1);
  require(heads == Heads::kSingle || model == BaselineKind::kEwc || model == BaselineKind::kSi,
          "heads = per-task: only ewc and si have them");
  positive("learning-rate", learning_rate);
  at_least("batch", batch, 1);
  at_least("epochs", epochs, 1);
  require(strength >= 0 && std::isfinite(strength), "strength = {:g}: must be 0 or above",
          strength);
  positive("damping", damping);
  positive("prior-variance", prior_variance);
  positive("initial-variance", initial_variance);
  positive("variance-rate", variance_rate);
  at_least("predict-samples", predict_samples, 1);
  const bool vcl = model == BaselineKind::kVcl;
  require(vcl || !whitened, "whitened = true: only vcl has a prior to measure steps by");
  require(vcl || !decay, "decay = true: only vcl's steps get shorter");
  require(vcl || coreset == 0, "coreset = {}: only vcl has one", coreset);
  require(vcl || coreset_weight == 1, "coreset-weight = {:g}: only vcl has a coreset",
          coreset_weight);
  positive("coreset-weight", coreset_weight);
  at_least("buffer", buffer, 1);
  at_least("features", features, 1);
  if (lengthscale) positive("lengthscale", *lengthscale);
  positive("lengthscale-factor", lengthscale_factor);
  positive("ridge", ridge);
}

std::vector<Setting> baseline_settings() { return names_of(entries()); }

void set(BaselineOptions& options, std::string_view name, const nlohmann::json& value) {
  set_entry(entries(), options, name, value);
}

nlohmann::ordered_json to_json(const BaselineOptions& options) {
  return entries_to_json(entries(), options);
}

}  // namespace vargp
