#include "vargp/models/collapsed.h"

#include <cmath>
#include <numbers>

#include "vargp/autodiff/ops.h"
#include "vargp/kernels/rbf.h"

namespace vargp {

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
  const auto chunks = tape.parallel(static_cast<Index>(X.size()), [&](Tape<S>& part, Index i) {
    const auto k = static_cast<std::size_t>(i);
    const Var<S> z = part.import(Z), th = part.import(theta);
    const auto sparse = sparse_inputs(X[k]);
    const Var<S> Kzx = sparse ? rbf_gram(z, sparse, th) : rbf_gram(z, part.constant_ref(X[k]), th);
    const Var<S> W = solve_lower(part.import(L), Kzx);
    return std::vector<Var<S>>{outer_square(W), matmul(W, part.constant(Y[k].transpose())),
                               sum_of_squares(W)};
  });
  std::vector<Var<S>> WW, WY, W2;
  for (const auto& c : chunks) {
    WW.push_back(c[0]);
    WY.push_back(c[1]);
    W2.push_back(c[2]);
  }
  const Var<S> precision = exp(scale(log_noise, S(-1)));  // 1 / s2
  const Var<S> A = add(scale_by(sum(WW), precision), tape.constant(Mat<S>::Identity(M, M)));
  const Var<S> La = cholesky(A, 0, "the precision of q(u)");
  const Var<S> b = solve_lower(La, scale_by(sum(WY), precision));
  // What is divided by 2 s2: |Y|^2 + C (N k - |W|^2), the second tempered.
  const Var<S> residual = add(
      tape.constant(Mat<S>::Constant(1, 1, squares)),
      scale(subtract(scale(rbf_variance(theta), N), sum(W2)), C * static_cast<S>(trace_weight)));
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
