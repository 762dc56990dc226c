// Natural-gradient steps for q(v) = N(m, S) of one output, in the natural parameters
// precision = S^-1 and shift = S^-1 m:
//
//   precision <- (1 - rho) precision + rho target_precision
//   shift     <- (1 - rho) shift     + rho target_shift
//   S = precision^-1,  m = S shift
//
// The targets come from the bound: E[C_t^-1] + N/B E[P diag(lambda) P'] and
// N/B E[P (g + lambda o P' m)], with P = L_tt^-T W_t. With a Gaussian likelihood, all the data and
// rho = 1 one step is exact.
#pragma once

#include <string_view>

#include "vargp/core/types.h"

namespace vargp {

// Always in double: the precision is where conditioning bites.
struct NaturalParameters {
  Mat<double> precision;  // [M, M]
  Vec<double> shift;      // [M]

  template <class Archive>
  void fields(Archive& a) {
    a("precision", precision);
    a("shift", shift);
  }

  static NaturalParameters from(const Vec<double>& m, const Mat<double>& Ls);
  void step(const NaturalParameters& target, double rho);
  // The mean, and the lower factor of the covariance.
  void moments(Vec<double>& m, Mat<double>& Ls, std::string_view what) const;
};

}  // namespace vargp
