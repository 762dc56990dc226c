#include "vargp/models/options.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "vargp/core/error.h"

namespace vargp {
namespace {

// Of theta, each with its factors, and of f in all: a prediction has this much memory and time.
constexpr Index kMostThetas = 1000, kMostSamples = 10000;

void positive(std::string_view field, double value) {
  require(value > 0 && std::isfinite(value), "{} = {:g}: must be a number above 0", field, value);
}

void at_least(std::string_view field, Index value, Index least) {
  require(value >= least, "{} = {}: must be at least {}", field, value, least);
}

}  // namespace

void Options::validate() const {
  at_least("inducing", inducing, 1);
  require(inducing_share > 0 && inducing_share <= 1, "inducing_share = {:g}: must be in (0, 1]",
          inducing_share);
  at_least("private_minimum", private_minimum, 1);
  if (private_minimum > 1) {
    require(start == InducingStart::kKMeans,
            "private_minimum = {}: inducing inputs that start as rows are no averages; start must "
            "be k-means",
            private_minimum);
    require(!learn_inducing,
            "private_minimum = {}: inducing inputs that move are no averages any more; "
            "learn_inducing must be false",
            private_minimum);
  }
  at_least("kmeans_iterations", kmeans_iterations, 0);
  positive("lengthscale_factor", lengthscale_factor);
  if (lengthscale) positive("lengthscale", *lengthscale);
  positive("scale", scale);
  require(beta >= 0 && std::isfinite(beta), "beta = {:g}: must be a number, 0 or above", beta);
  positive("theta_deviation", theta_deviation);
  positive("noise", noise);
  at_least("theta_samples", theta_samples, 1);
  at_least("function_samples", function_samples, 1);
  require(theta_samples <= std::min(kMostThetas, kMostSamples / function_samples),
          "theta_samples = {}, function_samples = {}: must be at most {} samples of theta, and {} "
          "samples in all",
          theta_samples, function_samples, kMostThetas, kMostSamples);
  positive("curvature", curvature);
  require(jitter >= 0 && jitter < 1, "jitter = {:g}: must be in [0, 1)", jitter);
  positive("learning_rate", learning_rate);
  at_least("batch", batch, 1);
  at_least("epochs", epochs, 1);
  at_least("patience", patience, 1);
  require(tolerance >= 0, "tolerance = {:g}: must be 0 or above", tolerance);
  require(natural_decay >= 0 && natural_decay <= 1, "natural_decay = {:g}: must be in [0, 1]",
          natural_decay);
  at_least("hyper_points", hyper_points, 1);
  at_least("hyper_steps", hyper_steps, 0);
  require(trace_weight >= 0 && trace_weight <= 1, "trace_weight = {:g}: must be in [0, 1]",
          trace_weight);
  require(phi_penalty >= 0 && std::isfinite(phi_penalty),
          "phi_penalty = {:g}: must be a number, 0 or above", phi_penalty);
  if (model == ModelKind::kMleHypers || model == ModelKind::kGlobalMle)
    require(hyper == HyperTreatment::kPoint,
            "hyper: must be point, for mle-hypers and global-mle have a point estimate of theta");
  if (model == ModelKind::kReVarGp)
    require(inference == Inference::kGradient,
            "inference = natural: re-var-gp moves the blocks of all tasks at once, which only "
            "inference = gradient does");
  if (model == ModelKind::kCoupled)
    require(shared,
            "shared = false: the coupled model has one precision for all outputs, so its "
            "inducing inputs are shared");
}

}  // namespace vargp
