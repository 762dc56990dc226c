#include "vargp/models/collapsed.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vargp/autodiff/ops.h"
#include "vargp/core/parallel.h"
#include "vargp/kernels/rbf.h"

namespace vargp {
namespace {

constexpr Index kTile = 256;  // rows, columns or points of a unit of work

// [ W W', W Y' ] for W = L^-1 K, [M, M + C], with K [M, b] and Y [C, b] in chunks. With
// G = d(WW') + d(WW')' and U = d(WY'):
//   dK = L^-T (G W + U Y) = P W + Q Y,   P = L^-T G,   Q = L^-T U
//   dL = -tril( dK W' )   = -tril( P W W' + Q Y W' )
// so one product with the points is all that the gradient takes: the sums serve for the other.
template <class S>
Var<S> whitened_sums(const Var<S>& L, const std::vector<Var<S>>& K, const std::vector<Mat<S>>& Y) {
  const Index M = L.rows(), C = Y.front().rows(), chunks = std::ssize(K);
  std::vector<Index> first = {0};
  for (const Var<S>& k : K) first.push_back(first.back() + k.cols());
  Mat<S> W(M, first.back()), Yt(first.back(), C);
  parallel_for(chunks, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    auto W_i = W.middleCols(first[k], K[k].cols());
    W_i = K[k].value();
    solve_lower<S>(L.value(), W_i);
    Yt.middleRows(first[k], K[k].cols()) = Y[k].transpose();
  });
  Mat<S> sums(M, M + C);
  parallel_pieces(M, kTile, [&](Index row, Index rows) {
    const auto W_r = W.middleRows(row, rows);
    sums.block(row, 0, rows, row + rows).noalias() = W_r * W.topRows(row + rows).transpose();
    sums.block(row, M, rows, C).noalias() = W_r * Yt;
  });
  sums.leftCols(M).template triangularView<Eigen::StrictlyUpper>() = sums.leftCols(M).transpose();

  std::vector<Var<S>> arguments = K;
  arguments.push_back(L);
  return L.tape().record(
      std::move(sums), arguments,
      [=, W = std::move(W), Yt = std::move(Yt)](const Mat<S>& H, const Mat<S>& d) {
        Mat<S> PQ = d;
        PQ.leftCols(M) += d.leftCols(M).transpose();
        parallel_pieces(M + C, kTile, [&](Index col, Index cols) {
          solve_lower_transposed<S>(L.value(), PQ.middleCols(col, cols));
        });
        const auto P = PQ.leftCols(M), Q = PQ.rightCols(C);
        parallel_for(chunks, [&](Index i) {
          const Var<S>& k = K[static_cast<std::size_t>(i)];
          if (!k.wants_grad()) return;
          const Index begin = first[static_cast<std::size_t>(i)];
          Mat<S> dK = P * W.middleCols(begin, k.cols());
          dK.noalias() += Q * Yt.middleRows(begin, k.cols()).transpose();
          k.add_grad(dK);
        });
        if (!L.wants_grad()) return;
        Mat<S>& dL = L.grad_ref();
        parallel_pieces(M, kTile, [&](Index row, Index rows) {
          const Index cols = row + rows;
          Mat<S> part = P.middleRows(row, rows) * H.leftCols(cols);
          part.noalias() += Q.middleRows(row, rows) * H.rightCols(C).topRows(cols).transpose();
          for (Index j = 0; j < cols; ++j) {
            const Index from = std::max<Index>(0, j - row);
            dL.col(j).segment(row + from, rows - from) -= part.col(j).tail(rows - from);
          }
        });
      });
}

}  // namespace

template <class S>
Var<S> collapsed_bound(const Var<S>& Z, const Var<S>& theta, const Var<S>& log_noise,
                       const std::vector<Mat<S>>& X, const std::vector<Mat<S>>& Y, double jitter,
                       double trace_weight) {
  Tape<S>& tape = Z.tape();
  const Index M = Z.rows();
  const S C = static_cast<S>(Y.front().rows());
  Index count = 0;
  S squares = 0;
  for (const Mat<S>& y : Y) {
    count += y.cols();
    squares += y.squaredNorm();
  }
  const S N = static_cast<S>(count);
  const Var<S> L = cholesky(rbf_gram(Z, theta), jitter, "the kernel matrix of the inducing inputs");
  const auto chunks = tape.parallel(std::ssize(X), [&](Tape<S>& part, Index i) {
    const Mat<S>& x = X[static_cast<std::size_t>(i)];
    const Var<S> z = part.import(Z), th = part.import(theta);
    const auto sparse = sparse_inputs(x);
    return std::vector<Var<S>>{sparse ? rbf_gram(z, sparse_points(sparse, th), th)
                                      : rbf_gram(z, part.constant_ref(x), th)};
  });
  std::vector<Var<S>> Kzx;
  for (const auto& c : chunks) Kzx.push_back(c[0]);
  const Var<S> sums = whitened_sums(L, Kzx, Y);
  const Var<S> WW = block(sums, 0, 0, M, M), WY = block(sums, 0, M, M, Y.front().rows());
  const Var<S> precision = exp(scale(log_noise, S(-1)));  // 1 / s2
  const Var<S> A = add(scale_by(WW, precision), tape.constant(Mat<S>::Identity(M, M)));
  const Var<S> La = cholesky(A, 0, "the precision of q(u)");
  const Var<S> b = solve_lower(La, scale_by(WY, precision));
  // What is divided by 2 s2: |Y|^2 + C (N k - |W|^2), the second tempered.
  const Var<S> residual = add(
      tape.constant(Mat<S>::Constant(1, 1, squares)),
      scale(subtract(scale(rbf_variance(theta), N), trace(WW)), C * static_cast<S>(trace_weight)));
  const Var<S> constant =
      tape.constant(Mat<S>::Constant(1, 1, S(-0.5) * C * N * std::log(2 * std::numbers::pi_v<S>)));
  return sum<S>({constant, scale(log_noise, S(-0.5) * C * N), scale(log_diagonal_sum(La), -C),
                 scale(sum_of_squares(b), S(0.5)), scale(scale_by(residual, precision), S(-0.5))});
}

template Var<float> collapsed_bound(const Var<float>&, const Var<float>&, const Var<float>&,
                                    const std::vector<Mat<float>>&, const std::vector<Mat<float>>&,
                                    double, double);
template Var<double> collapsed_bound(const Var<double>&, const Var<double>&, const Var<double>&,
                                     const std::vector<Mat<double>>&,
                                     const std::vector<Mat<double>>&, double, double);

}  // namespace vargp
