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

// How far a lengthscale of its own is from what all have in common, before any data: the deviation
// of the logarithm. Chosen on validation rows of public tables (bench/table_defaults.py).
inline constexpr double kOwnDeviation = 0.2;

// The precision [P, P] of the coupled model's prior of p about its start. Lengthscales of their own
// share a shift, which is as free as the one lengthscale for all would be:
//   log l_d = log l_start + a + e_d,   a ~ N(0, 1),   e_d ~ N(0, kOwnDeviation^2)
// So an input of which the first task says little is taken like the others, and is there when a
// later task needs it. The log scale, and the one lengthscale for all, have N(start, 1).
inline Mat<double> prior_precision(Index P) {
  Mat<double> A = Mat<double>::Identity(P, P);
  const Index D = P - 1;
  if (D == 1) return A;
  // The inverse of I / own + 1 1', by Sherman and Morrison.
  const double own = 1 / (kOwnDeviation * kOwnDeviation);
  A.topLeftCorner(D, D) *= own;
  A.topLeftCorner(D, D).array() -= own * own / (1 + own * static_cast<double>(D));
  return A;
}

// (p - start)' prior_precision (p - start), without that matrix: a table may have tens of thousands
// of columns. The mean of v_d = log l_d - log l_start and what is left of them are independent:
//   mean ~ N(0, 1 + kOwnDeviation^2 / D),   v_d - mean = e_d - mean of e
template <class S>
Var<S> prior_distance(const Var<S>& p, const Mat<S>& start) {
  Tape<S>& tape = p.tape();
  const Var<S> v = subtract(p, tape.constant(start));
  const Index D = p.rows() - 1;
  if (D == 1) return sum_of_squares(v);
  Mat<S> average = Mat<S>::Zero(1, D + 1), ones = Mat<S>::Zero(D + 1, 1),
         weights = Mat<S>::Ones(D + 1, 1);
  average.leftCols(D).setConstant(S(1) / static_cast<S>(D));
  ones.topRows(D).setOnes();
  weights.topRows(D).setConstant(static_cast<S>(1 / kOwnDeviation));
  const Var<S> mean = matmul(tape.constant(std::move(average)), v);
  const Var<S> left = subtract(v, matmul(tape.constant(std::move(ones)), mean));
  const double variance = 1 + kOwnDeviation * kOwnDeviation / static_cast<double>(D);
  return add(scale(sum_of_squares(mean), static_cast<S>(1 / variance)),
             sum_of_squares(product(tape.constant(std::move(weights)), left)));
}

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
