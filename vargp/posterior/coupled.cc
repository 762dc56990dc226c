#include "vargp/posterior/coupled.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "vargp/core/error.h"
#include "vargp/core/linalg.h"
#include "vargp/core/parallel.h"
#include "vargp/kernels/rbf.h"
#include "vargp/posterior/softmax_mean.h"

namespace vargp {
namespace {

constexpr Index kChunk = 256;   // points of one unit of work
constexpr Index kSweep = 2048;  // points whose W is in memory at a time
constexpr Index kTile = 256;    // rows and columns of one unit of Lambda

Index pieces(Index total, Index size) { return (total + size - 1) / size; }

// A factor in the precision that data are worked on with, if it is one there too.
template <class S>
Mat<S> narrowed(const Mat<double>& L, const char* what) {
  Mat<S> out = L.template cast<S>();
  if (!out.allFinite() || !(out.diagonal().array() > 0).all())
    throw NumericalError(fmt::format("the factor of {} is beyond the model's precision", what));
  return out;
}

}  // namespace

template <class S>
CoupledPosterior<S>::CoupledPosterior(Mat<S> theta, double jitter)
    : jitter_(jitter), theta_(std::move(theta)), Z_(0, std::max<Index>(theta_.rows() - 1, 0)) {}

template <class S>
void CoupledPosterior<S>::grow(const Mat<S>& Z_new) {
  const Index old = n(), M = Z_new.rows(), all = old + M;
  // [ L11  0  ]   L21 = K21 L11^-T
  // [ L21 L22 ]   L22 = chol(K22 - L21 L21')
  const Mat<double> theta = theta_.template cast<double>(), Z = Z_new.template cast<double>();
  Mat<double> L21t(old, M);
  if (old > 0) {
    L21t = rbf_gram<double>(Z_.template cast<double>(), Z, theta);
    parallel_pieces(M, kChunk, [&](Index first, Index count) {
      solve_lower<double>(L_, L21t.middleCols(first, count));
    });
  }
  // The jitter is relative to k(x, x), not to what the old points leave of it.
  const Mat<double> K22 = rbf_gram<double>(Z, theta);
  const Mat<double> explained = L21t.transpose() * L21t;
  Mat<double> L22;
  double jitter = jitter_;
  for (int attempt = 0;; ++attempt, jitter *= 10) {
    L22 = K22 - explained;
    L22.diagonal() += jitter * K22.diagonal();
    if (!L22.allFinite())
      throw NumericalError(
          "the kernel matrix of the inducing inputs has entries that are not finite");
    if (factorise_in_place(L22)) break;
    if (attempt == 3)
      throw NumericalError(
          fmt::format("the kernel matrix of {} new inducing inputs, given {} old ones, is not "
                      "positive definite, "
                      "even with a jitter of {:g}",
                      M, old, jitter));
  }
  L22.triangularView<Eigen::StrictlyUpper>().setZero();
  L_.conservativeResizeLike(Mat<double>::Zero(all, all));
  L_.bottomLeftCorner(M, old) = L21t.transpose();
  L_.bottomRightCorner(M, M) = L22;
  Z_.conservativeResize(all, Eigen::NoChange);
  Z_.bottomRows(M) = Z_new;
}

template <class S>
void CoupledPosterior<S>::add_inducing(const Mat<S>& Z_new) {
  grow(Z_new);
  const Index M = Z_new.rows(), all = n();
  sizes_.push_back(M);
  Lambda_.conservativeResizeLike(Mat<double>::Zero(all, all));
  Lambda_.bottomRightCorner(M, M).setIdentity();
  h_.conservativeResizeLike(Mat<double>::Zero(all, h_.cols()));
  L_s_ = narrowed<S>(L_, "the kernel matrix of the inducing inputs");
  factorise();
  set_mu(solve(h_));
}

template <class S>
void CoupledPosterior<S>::add_outputs(Index C) {
  h_.conservativeResizeLike(Mat<double>::Zero(n(), h_.cols() + C));
  mu_.conservativeResizeLike(Mat<double>::Zero(n(), h_.cols()));
  set_mu(mu_);
}

template <class S>
Mat<S> CoupledPosterior<S>::whitened(const Mat<S>& X) const {
  Mat<S> W = rbf_gram<S>(Z_, X, theta_);
  solve_lower<S>(L_s_, W);
  return W;
}

template <class S>
double CoupledPosterior<S>::accumulate(const RowMat<S>& X, const Mat<S>& Y, double weight,
                                       Mat<double>& shift, std::vector<Mat<S>>* keep,
                                       const std::function<void()>& pause) {
  const Index N = X.rows(), tiles = pieces(n(), kTile);
  const double k = std::exp(2 * static_cast<double>(theta_(theta_.rows() - 1)));
  double residual = static_cast<double>(N) * k;
  Mat<S> W(n(), std::min(kSweep, N));
  for (Index start = 0; start < N; start += kSweep) {
    const Index size = std::min(kSweep, N - start);
    std::vector<double> squares(static_cast<std::size_t>(pieces(size, kChunk)));
    parallel_pieces(size, kChunk, [&](Index first, Index count) {
      W.middleCols(first, count) = whitened(X.middleRows(start + first, count));
      squares[static_cast<std::size_t>(first / kChunk)] =
          static_cast<double>(W.middleCols(first, count).squaredNorm());
    });
    for (const double s : squares) residual -= s;
    const auto Wn = W.leftCols(size);
    // Every tile of the lower triangle belongs to one unit: sums come in a fixed order.
    parallel_for(tiles * (tiles + 1) / 2, [&](Index pair) {
      Index a = 0;
      while ((a + 1) * (a + 2) / 2 <= pair) ++a;
      const Index b = pair - a * (a + 1) / 2;
      const Index rows = std::min(kTile, n() - a * kTile), cols = std::min(kTile, n() - b * kTile);
      const Mat<S> WW = Wn.middleRows(a * kTile, rows) * Wn.middleRows(b * kTile, cols).transpose();
      Lambda_.block(a * kTile, b * kTile, rows, cols) += weight * WW.template cast<double>();
      if (b == 0) {
        const Mat<S> WY = Wn.middleRows(a * kTile, rows) * Y.middleCols(start, size).transpose();
        shift.middleRows(a * kTile, rows) += weight * WY.template cast<double>();
      }
    });
    if (keep) keep->push_back(Wn);
    if (pause) pause();
  }
  return residual;
}

template <class S>
void CoupledPosterior<S>::factorise() {
  Lc_ = Lambda_;
  if (!factorise_in_place(Lc_))
    throw NumericalError("the precision of q(v) is not positive definite");
  Lc_.triangularView<Eigen::StrictlyUpper>().setZero();
  Lc_s_ = narrowed<S>(Lc_, "the precision of q(v)");
}

template <class S>
void CoupledPosterior<S>::set_mu(Mat<double> mu) {
  mu_ = std::move(mu);
  Mat<double> beta = mu_;
  solve_lower_transposed<double>(L_, beta);
  beta_ = beta.transpose().template cast<S>();
  if (!beta_.allFinite()) throw NumericalError("the mean of q(v) is beyond the model's precision");
}

template <class S>
Vec<double> CoupledPosterior<S>::lower_precision() const {
  Vec<double> lower(n() * (n() + 1) / 2);
  for (Index i = 0; i < n(); ++i)
    lower.segment(i * (i + 1) / 2, i + 1) = Lambda_.row(i).head(i + 1);
  return lower;
}

template <class S>
void CoupledPosterior<S>::derive(const Vec<double>& lower) {
  const Mat<S> Z = std::exchange(Z_, Mat<S>(0, theta_.rows() - 1));
  L_.resize(0, 0);
  for (const Index M : sizes_) grow(Z.middleRows(n(), M));
  L_s_ = narrowed<S>(L_, "the kernel matrix of the inducing inputs");
  Lambda_ = Mat<double>::Zero(n(), n());
  for (Index i = 0; i < n(); ++i)
    Lambda_.row(i).head(i + 1) = lower.segment(i * (i + 1) / 2, i + 1);
  set_mu(mu_);
  factorise();
}

template <class S>
Mat<double> CoupledPosterior<S>::solve(const Mat<double>& B) const {
  Mat<double> X = B;
  solve_lower<double>(Lc_, X);
  solve_lower_transposed<double>(Lc_, X);
  return X;
}

template <class S>
double CoupledPosterior<S>::learn_gaussian(const RowMat<S>& X, const Mat<S>& Y, double s2,
                                           const std::function<void()>& pause) {
  return learn_gaussian([&](const Take& take) { take(X, Y); }, s2, pause);
}

template <class S>
double CoupledPosterior<S>::learn_gaussian(const std::function<void(const Take& take)>& pass,
                                           double s2, const std::function<void()>& pause) {
  // log Z of the conjugate update, in natural parameters, less the trace term.
  const auto outputs = static_cast<double>(C());
  const double old = 0.5 * outputs * log_determinant() - 0.5 * h_.cwiseProduct(mu_).sum();
  double N = 0, squares = 0, residual = 0;
  pass([&](const RowMat<S>& X, const Mat<S>& Y) {
    VARGP_CHECK(Y.rows() == C() && Y.cols() == X.rows());
    N += static_cast<double>(X.rows());
    squares += Y.template cast<double>().squaredNorm();
    residual += accumulate(X, Y, 1 / s2, h_, nullptr, pause);
  });
  factorise();
  set_mu(solve(h_));
  return old - 0.5 * outputs * log_determinant() + 0.5 * h_.cwiseProduct(mu_).sum() -
         0.5 * N * outputs * std::log(2 * std::numbers::pi * s2) -
         0.5 * (squares + outputs * residual) / s2;
}

template <class S>
std::vector<double> CoupledPosterior<S>::learn_softmax(const RowMat<S>& X, const Mat<S>& Y,
                                                       double lambda, int max_iterations,
                                                       double tolerance,
                                                       const std::function<void()>& pause) {
  VARGP_CHECK(Y.rows() == C() && Y.cols() == X.rows());
  const auto outputs = static_cast<double>(C());
  const Mat<double> Lambda_old = Lambda_.selfadjointView<Eigen::Lower>(), mu_old = mu_;
  const double logdet_old = log_determinant();
  std::vector<Mat<S>> W;
  Mat<double> unused = Mat<double>::Zero(n(), C());
  const double residual = accumulate(X, Y, lambda, unused, &W, pause);
  factorise();

  // What does not depend on mu. With A = Lambda_old Lambda^-1: sum_i W_i' Lambda^-1 W_i =
  // tr( (Lambda - Lambda_old) Lambda^-1 ) / lambda = ( n - tr A ) / lambda.
  const double trace = solve(Lambda_old).trace(), size = static_cast<double>(n());
  const double variances = residual + (size - trace) / lambda;
  const double fixed =
      -0.5 * outputs * (lambda * variances + trace - size + log_determinant() - logdet_old);

  const SoftmaxMean<S> best(W, Y, Lambda_old, mu_old,
                            [this](const Mat<double>& B) { return solve(B); });
  std::vector<double> trail =
      best.maximise(mu_, max_iterations, tolerance * static_cast<double>(X.rows()), pause);
  for (double& value : trail) value += fixed;
  const Mat<double> Lambda = Lambda_.selfadjointView<Eigen::Lower>();
  h_ = Lambda * mu_;
  set_mu(mu_);
  return trail;
}

template <class S>
void CoupledPosterior<S>::latent(const Mat<S>& X, Mat<S>& mean, Mat<S>* var) const {
  Mat<S> W = rbf_gram<S>(Z_, X, theta_);
  mean.noalias() = beta_ * W;
  if (!var) return;
  solve_lower<S>(L_s_, W);
  const S k = std::exp(2 * theta_(theta_.rows() - 1));
  *var = Mat<S>::Constant(1, X.rows(), k) - squared_column_norms<S>(W);
  solve_lower<S>(Lc_s_, W);
  *var += squared_column_norms<S>(W);
}

template class CoupledPosterior<float>;
template class CoupledPosterior<double>;

}  // namespace vargp
