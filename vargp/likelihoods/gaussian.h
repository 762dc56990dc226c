// Numbers with Gaussian noise s2 = exp(log_noise), the same for all outputs:
//
//   E log N(y; f, s2) = -1/2 ( log(2 pi s2) + ((y - mean)^2 + var) / s2 )
//   g = (y - mean) / s2,  lambda = 1 / s2
//
//   y = mean, var = 0, s2 = 1:  -1/2 log(2 pi) = -0.9189385332046727
#pragma once

#include "vargp/likelihoods/likelihood.h"

namespace vargp {

template <class S>
class Gaussian final : public Likelihood<S> {
 public:
  Var<S> expected_log(const Var<S>& mean, const Var<S>& var, const Mat<S>& Y,
                      const Var<S>& log_noise, const Noise<S>& noise) const override;
  Curvature<S> curvature(const Mat<S>& mean, const Mat<S>& var, const Mat<S>& Y, S log_noise,
                         const Noise<S>& noise) const override;
  bool samples() const override { return false; }
  bool has_noise() const override { return true; }
};

}  // namespace vargp
