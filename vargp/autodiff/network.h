// The ops of neural networks, with points in columns: activations are [width, b]. A layer is one
// matrix [out, in + 1] whose last column is the shift.
//
//   affine(W, A) = W [A; 1]
//   W = [2 1], A = [3]:  7
#pragma once

#include <cmath>
#include <memory>
#include <utility>

#include "vargp/autodiff/tape.h"
#include "vargp/core/sparse.h"

namespace vargp {

// W [A; 1], for W [out, in + 1] and A [in, b]. Points that are mostly zeros, where W is learned, go
// by their entries that are not.
template <class S>
Var<S> affine(const Var<S>& W, const Var<S>& A) {
  const Index in = A.rows();
  VARGP_CHECK(W.cols() == in + 1);
  std::shared_ptr<const Sparse<S>> points;
  if (W.wants_grad() && !A.wants_grad() && mostly_zeros<S>(A.value()))
    points = std::make_shared<Sparse<S>>(sparse<S>(A.value()));
  Mat<S> value(W.rows(), A.cols());
  if (points)
    value = multiply<S>(W.value().leftCols(in), *points);
  else
    value.noalias() = W.value().leftCols(in) * A.value();
  value.colwise() += W.value().col(in);
  return W.tape().record(std::move(value), {W, A}, [=](const Mat<S>&, const Mat<S>& d) {
    if (W.wants_grad()) {
      if (points)
        W.grad_ref().leftCols(in) += multiply<S>(d, transposed(*points));
      else
        W.grad_ref().leftCols(in).noalias() += d * A.value().transpose();
      W.grad_ref().col(in) += d.rowwise().sum();
    }
    if (A.wants_grad()) A.add_grad(W.value().leftCols(in).transpose() * d);
  });
}

// max(a, 0)
template <class S>
Var<S> relu(const Var<S>& A) {
  return A.tape().record(A.value().cwiseMax(S(0)), {A}, [A](const Mat<S>& value, const Mat<S>& d) {
    A.add_grad((value.array() > S(0)).select(d, S(0)));
  });
}

// a^2
template <class S>
Var<S> square(const Var<S>& A) {
  return A.tape().record(A.value().cwiseAbs2(), {A}, [A](const Mat<S>&, const Mat<S>& d) {
    A.add_grad(S(2) * d.cwiseProduct(A.value()));
  });
}

// mean + sqrt(var) eps: a draw from N(mean, var) that carries gradients to both. A variance below
// 1e-12 counts as that, so that the gradient of its root stays finite.
template <class S>
Var<S> reparametrise(const Var<S>& mean, const Var<S>& var, Mat<S> eps) {
  const Mat<S> sd = var.value().array().max(S(1e-12)).sqrt();
  Mat<S> value = mean.value() + sd.cwiseProduct(eps);
  eps.array() /= S(2) * sd.array();  // now d value / d var
  return mean.tape().record(std::move(value), {mean, var},
                            [mean, var, slope = std::move(eps)](const Mat<S>&, const Mat<S>& d) {
                              if (mean.wants_grad()) mean.add_grad(d);
                              if (var.wants_grad()) var.add_grad(d.cwiseProduct(slope));
                            });
}

// sum over the columns of -log softmax(f)_y, with Y one-hot columns of as many rows: [1, 1].
// f = (0, 0): log 2 for each column.
template <class S>
Var<S> cross_entropy(const Var<S>& f, const Mat<S>& Y) {
  Mat<S> p = (f.value().rowwise() - f.value().colwise().maxCoeff()).array().exp();
  const Mat<S> sums = p.colwise().sum();
  p.array().rowwise() /= sums.row(0).array();
  const S value = (f.value().colwise().maxCoeff().array() + sums.array().log()).sum() -
                  f.value().cwiseProduct(Y).sum();
  p -= Y;
  return f.tape().record(Mat<S>::Constant(1, 1, value), {f},
                         [f, residual = std::move(p)](const Mat<S>&, const Mat<S>& d) {
                           f.add_grad(d(0, 0) * residual);
                         });
}

}  // namespace vargp
