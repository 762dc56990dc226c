// The ops of the tape: linear algebra on whole matrices, value and adjoint side by side.
// d is the adjoint of the op's value; each op is put through gradcheck.h in ops_test.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "vargp/autodiff/tape.h"
#include "vargp/core/linalg.h"

namespace vargp {

// A + B, of the same shape.
template <class S>
Var<S> add(const Var<S>& A, const Var<S>& B) {
  return A.tape().record(A.value() + B.value(), {A, B}, [A, B](const Mat<S>&, const Mat<S>& d) {
    if (A.wants_grad()) A.add_grad(d);
    if (B.wants_grad()) B.add_grad(d);
  });
}

// A - B, of the same shape.
template <class S>
Var<S> subtract(const Var<S>& A, const Var<S>& B) {
  return A.tape().record(A.value() - B.value(), {A, B}, [A, B](const Mat<S>&, const Mat<S>& d) {
    if (A.wants_grad()) A.add_grad(d);
    if (B.wants_grad()) B.add_grad(-d);
  });
}

template <class S>
Var<S> scale(const Var<S>& A, S factor) {
  return A.tape().record(factor * A.value(), {A},
                         [A, factor](const Mat<S>&, const Mat<S>& d) { A.add_grad(factor * d); });
}

// A scaled by the one entry of factor [1, 1].
template <class S>
Var<S> scale_by(const Var<S>& A, const Var<S>& factor) {
  return A.tape().record(factor.value()(0) * A.value(), {A, factor},
                         [A, factor](const Mat<S>&, const Mat<S>& d) {
                           if (A.wants_grad()) A.add_grad(factor.value()(0) * d);
                           if (factor.wants_grad())
                             factor.grad_ref()(0) += d.cwiseProduct(A.value()).sum();
                         });
}

// Elementwise, of the same shape.
template <class S>
Var<S> product(const Var<S>& A, const Var<S>& B) {
  return A.tape().record(A.value().cwiseProduct(B.value()), {A, B},
                         [A, B](const Mat<S>&, const Mat<S>& d) {
                           if (A.wants_grad()) A.add_grad(d.cwiseProduct(B.value()));
                           if (B.wants_grad()) B.add_grad(d.cwiseProduct(A.value()));
                         });
}

// A B
template <class S>
Var<S> matmul(const Var<S>& A, const Var<S>& B) {
  return A.tape().record(A.value() * B.value(), {A, B}, [A, B](const Mat<S>&, const Mat<S>& d) {
    if (A.wants_grad()) A.add_grad(d * B.value().transpose());
    if (B.wants_grad()) B.add_grad(A.value().transpose() * d);
  });
}

// A' B_j, where B_j are as many rows of B as A has, from `row` on.
template <class S>
Var<S> matmul_transposed(const Var<S>& A, const Var<S>& B, Index row = 0) {
  const Index M = A.rows();
  return A.tape().record(A.value().transpose() * B.value().middleRows(row, M), {A, B},
                         [=](const Mat<S>&, const Mat<S>& d) {
                           if (A.wants_grad())
                             A.add_grad(B.value().middleRows(row, M) * d.transpose());
                           if (B.wants_grad())
                             B.grad_ref().middleRows(row, M).noalias() += A.value() * d;
                         });
}

template <class S>
Var<S> transpose(const Var<S>& A) {
  return A.tape().record(A.value().transpose(), {A},
                         [A](const Mat<S>&, const Mat<S>& d) { A.add_grad(d.transpose()); });
}

template <class S>
Var<S> exp(const Var<S>& A) {
  return A.tape().record(A.value().array().exp(), {A},
                         [A](const Mat<S>& E, const Mat<S>& d) { A.add_grad(d.cwiseProduct(E)); });
}

// log(1 + e^a)
template <class S>
Var<S> softplus(const Var<S>& A) {
  // log(1 + e^a) = max(a, 0) + log(1 + e^-|a|); its derivative is 1 / (1 + e^-a).
  Mat<S> value = A.value().array().max(S(0)) + (-A.value().array().abs()).exp().log1p();
  return A.tape().record(std::move(value), {A}, [A](const Mat<S>&, const Mat<S>& d) {
    A.add_grad((d.array() / (S(1) + (-A.value().array()).exp())).matrix());
  });
}

// Of all entries, [1, 1].
template <class S>
Var<S> sum(const Var<S>& A) {
  return A.tape().record(Mat<S>::Constant(1, 1, A.value().sum()), {A},
                         [A](const Mat<S>&, const Mat<S>& d) {
                           A.add_grad(Mat<S>::Constant(A.rows(), A.cols(), d(0, 0)));
                         });
}

// sum_i A_ii, [1, 1].
template <class S>
Var<S> trace(const Var<S>& A) {
  return A.tape().record(
      Mat<S>::Constant(1, 1, A.value().trace()), {A},
      [A](const Mat<S>&, const Mat<S>& d) { A.grad_ref().diagonal().array() += d(0, 0); });
}

// |A|_F^2, [1, 1].
template <class S>
Var<S> sum_of_squares(const Var<S>& A) {
  return A.tape().record(
      Mat<S>::Constant(1, 1, A.value().squaredNorm()), {A},
      [A](const Mat<S>&, const Mat<S>& d) { A.add_grad(S(2) * d(0, 0) * A.value()); });
}

// Of matrices of the same shape.
template <class S>
Var<S> sum(const std::vector<Var<S>>& terms) {
  VARGP_CHECK(!terms.empty());
  Var<S> total = terms.front();
  for (std::size_t i = 1; i < terms.size(); ++i) total = add(total, terms[i]);
  return total;
}

// Matrices of as many columns, one below the other.
template <class S>
Var<S> vstack(const std::vector<Var<S>>& parts) {
  VARGP_CHECK(!parts.empty());
  if (parts.size() == 1) return parts.front();
  Index rows = 0;
  for (const Var<S>& p : parts) rows += p.rows();
  Mat<S> value(rows, parts.front().cols());
  Index row = 0;
  for (const Var<S>& p : parts) {
    value.middleRows(row, p.rows()) = p.value();
    row += p.rows();
  }
  return parts.front().tape().record(std::move(value), parts,
                                     [parts](const Mat<S>&, const Mat<S>& d) {
                                       Index at = 0;
                                       for (const Var<S>& p : parts) {
                                         if (p.wants_grad()) p.add_grad(d.middleRows(at, p.rows()));
                                         at += p.rows();
                                       }
                                     });
}

// Matrices of as many rows, side by side.
template <class S>
Var<S> hstack(const std::vector<Var<S>>& parts) {
  VARGP_CHECK(!parts.empty());
  if (parts.size() == 1) return parts.front();
  Index cols = 0;
  for (const Var<S>& p : parts) cols += p.cols();
  Mat<S> value(parts.front().rows(), cols);
  Index col = 0;
  for (const Var<S>& p : parts) {
    value.middleCols(col, p.cols()) = p.value();
    col += p.cols();
  }
  return parts.front().tape().record(std::move(value), parts,
                                     [parts](const Mat<S>&, const Mat<S>& d) {
                                       Index at = 0;
                                       for (const Var<S>& p : parts) {
                                         if (p.wants_grad()) p.add_grad(d.middleCols(at, p.cols()));
                                         at += p.cols();
                                       }
                                     });
}

template <class S>
Var<S> block(const Var<S>& A, Index row, Index col, Index rows, Index cols) {
  return A.tape().record(
      A.value().block(row, col, rows, cols), {A},
      [=](const Mat<S>&, const Mat<S>& d) { A.grad_ref().block(row, col, rows, cols) += d; });
}

// The lower factor of K with K_ii (1 + jitter) on its diagonal; see core/linalg.h.
template <class S>
Var<S> cholesky(const Var<S>& K, double jitter, std::string_view what) {
  double used = 0;
  Mat<S> factor = cholesky<S>(K.value(), jitter, what, &used);
  return K.tape().record(std::move(factor), {K}, [K, used](const Mat<S>& L, const Mat<S>& d) {
    Mat<double> dK = cholesky_adjoint(L.template cast<double>(), d.template cast<double>());
    dK.diagonal() *= 1 + used;
    K.add_grad(dK.template cast<S>());
  });
}

// L^-1 B, L lower triangular.
template <class S>
Var<S> solve_lower(const Var<S>& L, const Var<S>& B) {
  Mat<S> solution = B.value();
  solve_lower<S>(L.value(), solution);
  // dB = L^-T dX,  dL = -tril(dB X')
  return L.tape().record(std::move(solution), {L, B}, [L, B](const Mat<S>& X, const Mat<S>& dX) {
    Mat<S> dB = dX;
    solve_lower_transposed<S>(L.value(), dB);
    if (L.wants_grad()) L.grad_ref().template triangularView<Eigen::Lower>() -= dB * X.transpose();
    if (B.wants_grad()) B.add_grad(std::move(dB));
  });
}

// L^-T B, L lower triangular.
template <class S>
Var<S> solve_lower_transposed(const Var<S>& L, const Var<S>& B) {
  Mat<S> solution = B.value();
  solve_lower_transposed<S>(L.value(), solution);
  // dB = L^-1 dX,  dL = -tril(X dB')
  return L.tape().record(std::move(solution), {L, B}, [L, B](const Mat<S>& X, const Mat<S>& dX) {
    Mat<S> dB = dX;
    solve_lower<S>(L.value(), dB);
    if (L.wants_grad()) L.grad_ref().template triangularView<Eigen::Lower>() -= X * dB.transpose();
    if (B.wants_grad()) B.add_grad(std::move(dB));
  });
}

// sum_i log |A_ii|
template <class S>
Var<S> log_diagonal_sum(const Var<S>& A) {
  const S value = A.value().diagonal().array().abs().log().sum();
  return A.tape().record(Mat<S>::Constant(1, 1, value), {A}, [A](const Mat<S>&, const Mat<S>& d) {
    A.grad_ref().diagonal().array() += d(0, 0) / A.value().diagonal().array();
  });
}

// The lower triangle filled row by row from v [M(M+1)/2, 1], its diagonal through softplus.
template <class S>
Var<S> lower_from_vector(const Var<S>& v, Index M) {
  VARGP_CHECK(v.value().size() == M * (M + 1) / 2);
  const auto softplus_of = [](S a) {
    return std::max(a, S(0)) + std::log1p(std::exp(-std::abs(a)));
  };
  Mat<S> L = Mat<S>::Zero(M, M);
  for (Index i = 0, k = 0; i < M; ++i)
    for (Index j = 0; j <= i; ++j, ++k) L(i, j) = i == j ? softplus_of(v.value()(k)) : v.value()(k);
  return v.tape().record(std::move(L), {v}, [v, M](const Mat<S>&, const Mat<S>& d) {
    Mat<S>& g = v.grad_ref();
    for (Index i = 0, k = 0; i < M; ++i)
      for (Index j = 0; j <= i; ++j, ++k)
        g(k) += i == j ? d(i, i) / (S(1) + std::exp(-v.value()(k))) : d(i, j);
  });
}

// |A_j|^2 of each column, where A_j are the `count` rows of A from `row` on, in each of c rows of
// the result: [c, b].
template <class S>
Var<S> column_squares(const Var<S>& A, Index row, Index count, Index c) {
  Mat<S> value = squared_column_norms<S>(A.value().middleRows(row, count)).replicate(c, 1);
  return A.tape().record(std::move(value), {A}, [=](const Mat<S>&, const Mat<S>& d) {
    const Mat<S> total = S(2) * d.colwise().sum();
    A.grad_ref().middleRows(row, count).noalias() +=
        A.value().middleRows(row, count) * total.row(0).asDiagonal();
  });
}

// |R_c' A_j|^2 of each column and each of c outputs, [c, b], where A_j are the M rows of A from
// `row` on and R [M, c M] holds the R_c side by side: one product serves all outputs.
template <class S>
Var<S> projected_squares(const Var<S>& R, const Var<S>& A, Index row) {
  const Index M = R.rows(), outputs = R.cols() / M;
  Mat<S> V = R.value().transpose() * A.value().middleRows(row, M);  // [c M, b]
  Mat<S> value(outputs, A.cols());
  for (Index c = 0; c < outputs; ++c)
    value.row(c) = squared_column_norms<S>(V.middleRows(c * M, M));
  return R.tape().record(
      std::move(value), {R, A}, [=, V = std::move(V)](const Mat<S>&, const Mat<S>& d) {
        Mat<S> dV(V.rows(), V.cols());
        for (Index c = 0; c < outputs; ++c)
          dV.middleRows(c * M, M) = S(2) * V.middleRows(c * M, M) * d.row(c).asDiagonal();
        if (R.wants_grad()) R.add_grad(A.value().middleRows(row, M) * dV.transpose());
        if (A.wants_grad()) A.grad_ref().middleRows(row, M).noalias() += R.value() * dV;
      });
}

// How much of the prior covariance I of w_j a block has explained, for each of its c outputs:
// G_c = I - R_c R_c', side by side [M, c M] like the R_c.
template <class S>
Var<S> explained_covariance(const Var<S>& R) {
  const Index M = R.rows(), outputs = R.cols() / M;
  Mat<S> G(M, R.cols());
  for (Index c = 0; c < outputs; ++c) {
    const auto R_c = R.value().middleCols(c * M, M);
    G.middleCols(c * M, M).noalias() = -R_c * R_c.transpose();
    G.middleCols(c * M, M).diagonal().array() += S(1);
  }
  return R.tape().record(std::move(G), {R}, [=](const Mat<S>&, const Mat<S>& d) {
    for (Index c = 0; c < outputs; ++c) {
      const auto d_c = d.middleCols(c * M, M);
      R.grad_ref().middleCols(c * M, M).noalias() -=
          Mat<S>(d_c + d_c.transpose()) * R.value().middleCols(c * M, M);
    }
  });
}

// How much of the prior variance a block has explained, for each of its c outputs and each point:
//   |W_j|^2 - |R_c' W_j|^2 = W_j' G_c W_j,   [c, b]
// The product G_c W_j serves the value and the adjoint.
template <class S>
Var<S> explained_variance(const Var<S>& G, const Var<S>& W, Index row) {
  const Index M = G.rows(), outputs = G.cols() / M;
  const auto rows = [=](const Mat<S>& A) { return A.middleRows(row, M); };
  if (!G.wants_grad() && !W.wants_grad())
    return W.tape().constant(quadratic_forms<S>(G.value(), rows(W.value())));
  Mat<S> GW = G.value().transpose() * rows(W.value());  // [c M, b]
  Mat<S> value(outputs, W.cols());
  for (Index c = 0; c < outputs; ++c)
    value.row(c) = column_products<S>(rows(W.value()), GW.middleRows(c * M, M));
  return W.tape().record(std::move(value), {G, W},
                         [=, GW = std::move(GW)](const Mat<S>&, const Mat<S>& d) {
                           const auto W_j = rows(W.value());
                           if (G.wants_grad()) {  // dG_c = W_j diag(d_c) W_j'
                             Mat<S> dW(GW.rows(), GW.cols());
                             for (Index c = 0; c < outputs; ++c)
                               dW.middleRows(c * M, M) = W_j * d.row(c).asDiagonal();
                             G.add_grad(W_j * dW.transpose());
                           }
                           if (!W.wants_grad()) return;
                           for (Index c = 0; c < outputs; ++c)
                             W.grad_ref().middleRows(row, M) +=
                                 GW.middleRows(c * M, M) * (S(2) * d.row(c)).asDiagonal();
                         });
}

// KL[ N(mean, e^logvar) || N(prior_mean, e^prior_logvar) ], summed over the entries:
// 1/2 sum( log s0^2 - log s^2 + (s^2 + (m - m0)^2) / s0^2 - 1 )
template <class S>
Var<S> kl_diagonal(const Var<S>& mean, const Var<S>& logvar, const Mat<S>& prior_mean,
                   const Mat<S>& prior_logvar) {
  const Mat<S> ratio = (logvar.value() - prior_logvar).array().exp();  // s^2 / s0^2
  const Mat<S> shift = (mean.value() - prior_mean).array() * (-prior_logvar.array()).exp();
  const S value = S(0.5) * (prior_logvar.array() - logvar.value().array() + ratio.array() +
                            (mean.value() - prior_mean).array() * shift.array() - S(1))
                               .sum();
  return mean.tape().record(
      Mat<S>::Constant(1, 1, value), {mean, logvar}, [=](const Mat<S>&, const Mat<S>& d) {
        if (mean.wants_grad()) mean.add_grad(d(0, 0) * shift);
        if (logvar.wants_grad())
          logvar.add_grad((S(0.5) * d(0, 0) * (ratio.array() - S(1))).matrix());
      });
}

}  // namespace vargp
