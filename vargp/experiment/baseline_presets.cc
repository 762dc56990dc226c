#include "vargp/experiment/baseline_presets.h"

#include "vargp/core/error.h"

namespace vargp {

// Chosen on validation data (seed 1).
BaselineOptions baseline_preset(const std::string& experiment, BaselineKind model,
                                const std::string& name) {
  require(name == "quick" || name == "default" || name == "best",
          "preset = {}: must be quick, default or best for a baseline", name);
  const bool quick = name == "quick", best = name == "best", toy = experiment == "toy",
             permuted = experiment.starts_with("permuted");
  BaselineOptions o;
  o.model = model;
  o.epochs = quick ? 3 : best ? 30 : 10;
  if (toy) {
    o.batch = 20;
    o.epochs = quick ? 50 : 200;
    o.features = 500;
    o.lengthscale_factor = 0.3;
    o.buffer = 20;
  }
  if (model == BaselineKind::kVcl) {
    o.epochs = toy ? (quick ? 200 : 1000) : quick ? 10 : 20;
    // On split data two hidden layers are best left before their variances have fully grown: what
    // the first pair does not need is then still open to later ones, and to a coreset.
    if (!toy) o.variance_rate = 10;
    if (permuted) {
      // With ten tasks it matters how stiff the weights are. The variances, which start at 10^-6,
      // are stopped on their way: where 36 epochs at the means' rate would get them, in however
      // many epochs. A prior variance of 1 forgets nearly three times as much.
      o.prior_variance = 0.01;
      o.learning_rate = 0.003;
      o.decay = true;
      o.epochs = quick ? 10 : 30;  // 60 are no better
      o.variance_rate = 36.0 / static_cast<double>(o.epochs);
    }
  }
  if (model == BaselineKind::kEwc) o.strength = permuted ? 10 : toy ? 100 : 1e5;
  if (model == BaselineKind::kSi) o.strength = toy ? 0.1 : 1;
  if (model == BaselineKind::kRandomFeatures && !toy) {
    o.features = quick ? 2000 : best ? 8000 : 4000;
    o.lengthscale_factor = 0.8;
  }
  return o;
}

}  // namespace vargp
