// q(theta): a Gaussian over the log lengthscales and the log scale, without correlations.
//
// Its parameters are p [P, 1]: P = D + 1 with a lengthscale for every input (ARD), P = 2 with one
// for all. theta_s = expand(mean + exp(logvar / 2) eps_s). The first task's prior is given; after a
// task q(theta) is the prior of the next.
#pragma once

#include <vector>

#include "vargp/autodiff/ops.h"
#include "vargp/core/types.h"

namespace vargp {

template <class S>
struct HyperPosterior {
  Mat<S> mean;    // [P, 1]
  Mat<S> logvar;  // [P, 1]; empty: theta is a point

  template <class Archive>
  void fields(Archive& a) {
    a("mean", mean);
    a("logvar", logvar);
    a.expect(mean.cols() == 1 &&
                 (logvar.size() == 0 || (logvar.rows() == mean.rows() && logvar.cols() == 1)),
             "mean and logvar of the same size");
  }
};

// theta [D + 1, 1] from p [P, 1]: the same, or p_0 for every lengthscale and p_1 for the scale.
template <class S>
Var<S> expand(const Var<S>& p, Index D) {
  if (p.rows() == D + 1) return p;
  VARGP_CHECK(p.rows() == 2);
  Mat<S> T = Mat<S>::Zero(D + 1, 2);
  T.col(0).head(D).setOnes();
  T(D, 1) = 1;
  return matmul(p.tape().constant(std::move(T)), p);
}

// One sample for each column of eps [P, S]. Without a logvar there is one: the point itself.
template <class S>
std::vector<Var<S>> sample_theta(const Var<S>& mean, const Var<S>& logvar, const Mat<S>& eps,
                                 Index D) {
  if (!logvar.valid()) return {expand(mean, D)};
  const Var<S> deviation = exp(scale(logvar, S(0.5)));
  std::vector<Var<S>> out;
  for (Index s = 0; s < eps.cols(); ++s)
    out.push_back(expand(add(mean, product(deviation, mean.tape().constant(eps.col(s)))), D));
  return out;
}

}  // namespace vargp
