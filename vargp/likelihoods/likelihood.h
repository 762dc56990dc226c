// What a likelihood must know for learning. Targets are Y [C, b]: one-hot columns for classes,
// numbers for regression. mean and var [C, b] are the marginals of f at the points of a batch.
#pragma once

#include <vector>

#include "vargp/autodiff/tape.h"

namespace vargp {

// Standard normal noise, F matrices [C, b], for expectations by sampling.
template <class S>
using Noise = std::vector<Mat<S>>;

// How the expected log-likelihood bends the posterior (design of the natural gradient):
//   g = d ELL / d mean,  lambda = -2 d ELL / d var >= 0,  both [C, b].
template <class S>
struct Curvature {
  Mat<S> g, lambda;
};

template <class S>
class Likelihood {
 public:
  virtual ~Likelihood() = default;

  // sum over the batch of E_{f ~ N(mean, var)} log p(y | f), [1, 1].
  // log_noise [1, 1] is used by likelihoods that have a noise, noise by those that sample.
  virtual Var<S> expected_log(const Var<S>& mean, const Var<S>& var, const Mat<S>& Y,
                              const Var<S>& log_noise, const Noise<S>& noise) const = 0;

  virtual Curvature<S> curvature(const Mat<S>& mean, const Mat<S>& var, const Mat<S>& Y,
                                 S log_noise, const Noise<S>& noise) const = 0;

  virtual bool samples() const = 0;    // needs noise
  virtual bool has_noise() const = 0;  // log_noise is learned
};

}  // namespace vargp
