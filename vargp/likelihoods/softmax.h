// Classes by softmax: log p(y | f) = f_y - log sum_c exp(f_c), expectations by Monte Carlo with
// reparametrisation, f = mean + sqrt(var) eps.
//
//   two classes, f = (0, 0):  log p = -log 2
//   g = E[y - p],  lambda = E[p (1 - p)]
#pragma once

#include "vargp/core/random.h"
#include "vargp/likelihoods/likelihood.h"

namespace vargp {

template <class S>
class Softmax final : public Likelihood<S> {
 public:
  Var<S> expected_log(const Var<S>& mean, const Var<S>& var, const Mat<S>& Y,
                      const Var<S>& log_noise, const Noise<S>& noise) const override;
  Curvature<S> curvature(const Mat<S>& mean, const Mat<S>& var, const Mat<S>& Y, S log_noise,
                         const Noise<S>& noise) const override;
  bool samples() const override { return true; }
  bool has_noise() const override { return false; }
};

// f [C, b] -> exp(f - log sum exp f), column by column; and log sum exp of each column [1, b].
template <class S>
Mat<S> softmax(const Mat<S>& f);
template <class S>
Mat<S> log_sum_exp(const Mat<S>& f);

// F vectors of noise [C, 1] that favour no class: each draw stands in all its C rotations, and
// every other draw is the last one's negative. Where all classes have the same mean and variance
// they get (nearly) the same probability.
template <class S>
Noise<S> balanced_noise(Random random, Index C, Index F);

// The mean over the samples of softmax(mean + sqrt(var) eps), [C, b]. eps [C, b], or [C, 1] to use
// the same noise for every column.
template <class S>
Mat<S> softmax_probabilities(const Mat<S>& mean, const Mat<S>& var, const Noise<S>& noise);

}  // namespace vargp
