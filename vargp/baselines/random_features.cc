#include "vargp/baselines/random_features.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

#include "vargp/core/error.h"
#include "vargp/core/linalg.h"
#include "vargp/core/parallel.h"
#include "vargp/core/random.h"
#include "vargp/eval/metrics.h"
#include "vargp/likelihoods/softmax.h"
#include "vargp/models/model.h"
#include "vargp/train/start.h"

namespace vargp {
namespace {

constexpr Index kRows = 2048, kPanel = 512;  // points added at once, columns of G in a unit of work

Mat<float> one_hot(const std::vector<int>& y, Index first, Index count, int C) {
  Mat<float> Y = Mat<float>::Zero(C, count);
  for (Index i = 0; i < count; ++i) Y(y[static_cast<std::size_t>(first + i)], i) = 1;
  return Y;
}

}  // namespace

RandomFeatures::RandomFeatures(const BaselineOptions& options, Index D, int C, int threads)
    : o_(options), D_(D), C_(C), threads_(threads) {
  o_.validate();
  const Index m = o_.features;
  G_ = Mat<float>::Zero(m, m);
  H_ = Mat<float>::Zero(m, C);
  counts_ = Mat<float>::Zero(C, 1);
  weights_ = Mat<float>::Zero(C, m);
  shift_ = Mat<float>::Zero(C, 1);
}

void RandomFeatures::draw_features() {
  Random random(o_.seed, Purpose::kFeatures);
  omega_ = random.normals<float>(o_.features, D_) / static_cast<float>(lengthscale_);
  phase_.resize(o_.features);
  for (float& b : phase_) b = static_cast<float>(2 * std::numbers::pi * random.uniform());
}

Mat<float> RandomFeatures::phi(const Mat<float>& X) const {
  Mat<float> out = omega_ * X.transpose();
  out.colwise() += phase_;
  const float height = std::sqrt(2.0F / static_cast<float>(o_.features));
  return height * out.array().cos();
}

Mat<float> RandomFeatures::scores(const Mat<float>& X) const {
  Mat<float> f = weights_ * phi(X);
  f.colwise() += shift_.col(0);
  return f;
}

void RandomFeatures::solve() {
  const Index m = o_.features;
  const bool lda = o_.readout == Readout::kLda;
  const double n = static_cast<double>(counts_.sum());
  Mat<double> A = G_.cast<double>(), B = H_.cast<double>();
  A.diagonal().array() += o_.ridge;
  if (lda)
    for (Index c = 0; c < C_; ++c)
      if (counts_(c) > 0) {
        B.col(c) /= static_cast<double>(counts_(c));  // mu_c
        A.selfadjointView<Eigen::Lower>().rankUpdate(B.col(c), -static_cast<double>(counts_(c)));
      }
  if (!factorise_in_place(A))
    throw NumericalError(fmt::format(
        "the sums over {} features are not positive definite: a larger ridge than {:g} is needed",
        m, o_.ridge));
  Mat<double> W = B;
  solve_lower<double>(A, W);
  solve_lower_transposed<double>(A, W);
  shift_.setZero();
  if (lda) {
    W *= n;
    for (Index c = 0; c < C_; ++c)
      shift_(c) = counts_(c) > 0
                      ? static_cast<float>(-0.5 * W.col(c).dot(B.col(c)) +
                                           std::log(static_cast<double>(counts_(c)) / n))
                      : std::numeric_limits<float>::lowest() / 4;  // not seen: probability 0
  }
  weights_ = W.transpose().cast<float>();
}

LearnReport RandomFeatures::learn(const Dataset& train, const Dataset& validation,
                                  const LearnHooks& hooks) {
  const auto clock = std::chrono::steady_clock::now();
  LearnReport report;
  RandomFeatures next = *this;  // so that this one stays as it was if anything is thrown
  with_threads(threads_, [&] {
    const Index m = o_.features;
    if (tasks_ == 0) {
      next.lengthscale_ =
          o_.lengthscale
              ? *o_.lengthscale
              : o_.lengthscale_factor * median_distance(train.X, Random(o_.seed, Purpose::kTheta));
      next.draw_features();
    }
    for (Index first = 0; first < train.size(); first += kRows) {
      const Index count = std::min(kRows, train.size() - first);
      Mat<float> F(m, count);
      parallel_pieces(count, kPredictChunk, [&](Index at, Index b) {
        F.middleCols(at, b) = next.phi(train.X.middleRows(first + at, b));
      });
      parallel_pieces(m, kPanel, [&](Index at, Index width) {
        next.G_.block(at, at, m - at, width).noalias() +=
            F.bottomRows(m - at) * F.middleRows(at, width).transpose();
      });
      const Mat<float> Y = one_hot(train.y, first, count, C_);
      next.H_.noalias() += F * Y.transpose();
      next.counts_ += Y.rowwise().sum();
      if (hooks.step) hooks.step(nullptr);
    }
    next.solve();
    report.validation = std::numeric_limits<double>::quiet_NaN();
    if (validation.size() > 0) {
      Mat<float> f(C_, validation.size());
      for_each_chunk<float>(validation.X, [&](const Mat<float>& chunk, Index first, Index count) {
        f.middleCols(first, count) = next.scores(chunk).leftCols(count);
      });
      if (o_.readout == Readout::kRidge)
        next.link_.learn<float>(f, one_hot(validation.y, 0, validation.size(), C_));
      report.validation = accuracy(next.probabilities_of(validation.X), validation.y);
    }
  });
  ++next.tasks_;
  *this = std::move(next);
  report.task = tasks_;
  report.rows = train.size();
  report.outputs = C_;
  report.epochs = 1;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  return report;
}

Mat<double> RandomFeatures::probabilities_of(const RowMat<float>& X) const {
  Mat<double> out(X.rows(), C_);
  for_each_chunk<float>(X, [&](const Mat<float>& chunk, Index first, Index count) {
    const Mat<float> f = scores(chunk);
    const Mat<float> p =
        o_.readout == Readout::kRidge ? link_.probabilities<float>(f) : softmax<float>(f);
    out.middleRows(first, count) = p.leftCols(count).transpose().cast<double>();
  });
  return out;
}

Mat<double> RandomFeatures::probabilities(const RowMat<float>& X, Index) const {
  Mat<double> out;
  with_threads(threads_, [&] { out = probabilities_of(X); });
  return out;
}

State RandomFeatures::state() const {
  State out;
  StateWriter writer(out);
  writer("random_features", *this);
  return out;
}

void RandomFeatures::read(State& state) {
  RandomFeatures in(o_, D_, C_, threads_);
  StateReader reader(state);
  reader("random_features", in);
  if (in.tasks_ > 0) in.draw_features();
  *this = std::move(in);
}

}  // namespace vargp
