// The exponentiated-quadratic kernel with one lengthscale per input (ARD):
//
//   k(x, x') = exp(2 theta_D) exp( -1/2 sum_d (x_d - x'_d)^2 / exp(2 theta_d) )
//
// theta [D + 1]: log lengthscales, then the log scale.
//   theta = 0:               k(0, 0) = 1, k(0, 1) = exp(-1/2) in one dimension
//   theta = (log 2, log 3):  k(0, 2) = 9 exp(-1/2)
//
// With H = dK o K (elementwise), r = H 1, c = H' 1, and inputs scaled by the lengthscales (zs, xs):
//   dZ_id    = ( (H xs)_id - r_i zs_id ) / exp(theta_d)
//   dtheta_d = sum_ij H_ij (zs_id - xs_jd)^2 = sum_i r_i zs_id^2 + sum_j c_j xs_jd^2
//              - 2 sum_i zs_id (H xs)_id
//   dtheta_D = 2 sum_ij H_ij
// so one product H xs serves both gradients. With zs_id xs_jd = z_id x_jd / exp(2 theta_d) that is
// a product with X as it is: where most of X is zero, only the rest of it need be gone through.
#pragma once

#include <memory>

#include "vargp/autodiff/tape.h"
#include "vargp/core/sparse.h"

namespace vargp {

// K(Z, X) [n, b] for Z [n, D], X [b, D], theta [D + 1, 1].
template <class S>
Mat<S> rbf_gram(const Mat<S>& Z, const Mat<S>& X, const Mat<S>& theta);
// The first `fixed` rows of Z get no gradient: they belong to frozen blocks.
template <class S>
Var<S> rbf_gram(const Var<S>& Z, const Var<S>& X, const Var<S>& theta, Index fixed = 0);

// Points by their entries that are not zero, and what they have in all products with any Z:
// sum_d x_d^2 / exp(2 theta_d) of each, [b, 1].
template <class S>
struct SparsePoints {
  std::shared_ptr<const SparseInputs<S>> X;
  Var<S> squares;
};
template <class S>
SparsePoints<S> sparse_points(std::shared_ptr<const SparseInputs<S>> X, const Var<S>& theta);
// K(Z, X) of such points.
template <class S>
Var<S> rbf_gram(const Var<S>& Z, const SparsePoints<S>& X, const Var<S>& theta, Index fixed = 0);

// K(Z, Z) [n, n]: exactly symmetric, and exactly exp(2 theta_D) on the diagonal.
template <class S>
Mat<S> rbf_gram(const Mat<S>& Z, const Mat<S>& theta);
template <class S>
Var<S> rbf_gram(const Var<S>& Z, const Var<S>& theta, Index fixed = 0);

// k(x, x) = exp(2 theta_D), [1, 1].
template <class S>
Var<S> rbf_variance(const Var<S>& theta);

}  // namespace vargp
