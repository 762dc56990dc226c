#include "vargp/models/bound.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "vargp/autodiff/gradcheck.h"
#include "vargp/kernels/rbf.h"
#include "vargp/likelihoods/gaussian.h"
#include "vargp/likelihoods/softmax.h"
#include "vargp/models/collapsed.h"
#include "vargp/models/hyper.h"

namespace vargp {
namespace {

using Matrix = Mat<double>;

Matrix random(Index rows, Index cols, std::uint64_t seed) {
  return Random(seed, Purpose::kTest).normals<double>(rows, cols);
}

Matrix lower(Index n, std::uint64_t seed) {
  Matrix L = 0.2 * Matrix(random(n, n, seed).triangularView<Eigen::StrictlyLower>());
  L.diagonal() = 0.5 * random(n, 1, seed + 100).cwiseAbs().array() + 0.3;
  return L;
}

Matrix one_hot(Index C, Index N) {
  Matrix Y = Matrix::Zero(C, N);
  for (Index i = 0; i < N; ++i) Y((i * i) % C, i) = 1;
  return Y;
}

TEST(Bound, OneTaskWithSoftmaxIsASparseVariationalGp) {
  // Written as in Hensman et al. 2015, with inverses: A = Kxz Kzz^-1, mean = A m,
  // var = kxx - diag(A Kzx) + diag(A S A'), KL of two Gaussians.
  const Index M = 6, N = 9, D = 2, C = 3, F = 7;
  const Matrix Z = random(M, D, 1), X = random(N, D, 2), m = random(M, C, 3), Y = one_hot(C, N);
  const Matrix theta = 0.2 * random(D + 1, 1, 4);
  Noise<double> noise;
  for (Index f = 0; f < F; ++f) noise.push_back(random(C, N, 50 + static_cast<std::uint64_t>(f)));

  const Matrix Kzz = rbf_gram<double>(Z, Z, theta), Kzx = rbf_gram<double>(Z, X, theta);
  const Matrix A = Kzx.transpose() * Kzz.inverse();
  Matrix mean(C, N), var(C, N);
  double kl = 0, ell = 0;
  for (Index c = 0; c < C; ++c) {
    const Matrix Ls = lower(M, static_cast<std::uint64_t>(10 + c)), S = Ls * Ls.transpose();
    mean.row(c) = (A * m.col(c)).transpose();
    var.row(c) = (std::exp(2 * theta(D)) - (A * Kzx).diagonal().array() +
                  (A * S * A.transpose()).diagonal().array())
                     .transpose();
    kl += 0.5 * ((Kzz.inverse() * S).trace() + m.col(c).dot(Kzz.inverse() * m.col(c)) -
                 static_cast<double>(M) + std::log(Kzz.determinant() / S.determinant()));
  }
  for (const Matrix& eps : noise) {
    const Matrix f = mean + var.cwiseSqrt().cwiseProduct(eps);
    for (Index i = 0; i < N; ++i)
      ell += (Y.col(i).dot(f.col(i)) - std::log(f.col(i).array().exp().sum())) /
             static_cast<double>(F);
  }

  Tape<double> tape;
  TaskVars<double> q;
  q.Z = {tape.constant(Z)};
  q.m = tape.constant(m);
  for (Index c = 0; c < C; ++c)
    q.Ls.push_back(tape.constant(lower(M, static_cast<std::uint64_t>(10 + c))));
  q.theta = {tape.constant(theta)};
  q.kl_hyper = q.log_noise = tape.constant(Matrix::Zero(1, 1));
  Batch<double> batch;
  batch.X = {X};
  batch.Y = {Y};
  batch.N = N;
  batch.noise = {{noise}};
  const auto b = bound(tape, {}, q, Groups{true, C}, Softmax<double>{}, batch, {});
  EXPECT_NEAR(b.kl_u.value()(0), kl, 1e-9);
  EXPECT_NEAR(b.ell.value()(0), ell, 1e-9);
  EXPECT_NEAR(b.loss.value()(0), kl - ell, 1e-9);
}

// Shared and per-class inducing inputs, with an old block that does not know the last class.
class BoundGradients : public testing::TestWithParam<bool> {};

TEST_P(BoundGradients, AgreeWithFiniteDifferences) {
  const bool shared = GetParam();
  const Index M = 3, N = 5, D = 2, C = 3;
  const Groups groups{shared, C};
  InducingBlock<double> old;
  old.m = random(4, 2, 1);
  for (Index c = 0; c < 2; ++c) old.Ls.push_back(lower(4, static_cast<std::uint64_t>(20 + c)));
  for (Index g = 0; g < (shared ? 1 : 2); ++g)
    old.Z.push_back(random(4, D, static_cast<std::uint64_t>(30 + g)));
  const std::vector<InducingBlock<double>> frozen = {old};

  Batch<double> batch;
  const Matrix X = random(N, D, 2), Y = one_hot(C, N);
  batch.X = {X.topRows(3), X.bottomRows(2)};
  batch.Y = {Y.leftCols(3), Y.rightCols(2)};
  batch.N = 20;
  const Matrix eps = random(D + 1, 2, 3);
  for (std::uint64_t s = 0; s < 2; ++s)
    batch.noise.push_back({{random(C, 3, 60 + s)}, {random(C, 2, 70 + s)}});
  const Matrix prior_mean = random(D + 1, 1, 4), prior_logvar = 0.3 * random(D + 1, 1, 5);

  std::vector<Matrix> at = {random(M, C, 6), 0.3 * random(D + 1, 1, 7), 0.3 * random(D + 1, 1, 8)};
  for (Index c = 0; c < C; ++c)
    at.push_back(random(M * (M + 1) / 2, 1, static_cast<std::uint64_t>(40 + c)));
  for (Index g = 0; g < groups.count(); ++g)
    at.push_back(random(M, D, static_cast<std::uint64_t>(80 + g)));
  expect_gradients(
      at,
      [&](Tape<double>& tape, const std::vector<Var<double>>& v) {
        TaskVars<double> q;
        q.m = v[0];
        q.theta = sample_theta(v[1], v[2], eps, D);
        q.kl_hyper = kl_diagonal(v[1], v[2], prior_mean, prior_logvar);
        q.log_noise = tape.constant(Matrix::Zero(1, 1));
        for (std::size_t c = 0; c < 3; ++c) q.Ls.push_back(lower_from_vector(v[3 + c], M));
        for (std::size_t g = 6; g < v.size(); ++g) q.Z.push_back(v[g]);
        return bound(tape, frozen, q, groups, Softmax<double>{}, batch,
                     {.beta = 1.7, .jitter = 1e-8})
            .loss;
      },
      1e-5);
}

INSTANTIATE_TEST_SUITE_P(Layouts, BoundGradients, testing::Bool(),
                         [](const auto& layout) { return layout.param ? "Shared" : "PerClass"; });

TEST(CollapsedBound, WithAllPointsInducingIsTheLogMarginalLikelihood) {
  const Index N = 12, D = 2, C = 2;
  const Matrix X = random(N, D, 1), Y = random(C, N, 2), theta = 0.2 * random(D + 1, 1, 3);
  const double s2 = 0.3;
  Tape<double> tape;
  const auto F = collapsed_bound<double>(
      tape.constant(X), tape.constant(theta), tape.constant(Matrix::Constant(1, 1, std::log(s2))),
      {X.topRows(5), X.bottomRows(7)}, {Y.leftCols(5), Y.rightCols(7)}, 0);
  const Matrix A = rbf_gram<double>(X, X, theta) + s2 * Matrix::Identity(N, N);
  double expected = 0;
  for (Index c = 0; c < C; ++c)
    expected -=
        0.5 * (Y.row(c).dot(A.inverse() * Y.row(c).transpose()) + std::log(A.determinant()) +
               static_cast<double>(N) * std::log(2 * std::numbers::pi));
  EXPECT_NEAR(F.value()(0), expected, 1e-8);
}

TEST(CollapsedBound, Gradients) {
  const Matrix X = random(7, 2, 1), Y = random(2, 7, 2);
  expect_gradients(
      {random(3, 2, 3), 0.2 * random(3, 1, 4), 0.5 * random(1, 1, 5)},
      [&](Tape<double>&, const std::vector<Var<double>>& v) {
        return collapsed_bound<double>(v[0], v[1], v[2], {X.topRows(3), X.bottomRows(4)},
                                       {Y.leftCols(3), Y.rightCols(4)}, 1e-8);
      },
      1e-5);
}

// As many inducing inputs and points as make several units of work: along one direction, against
// differences.
TEST(CollapsedBound, GradientsOfManyInducingInputs) {
  const Index M = 300, N = 310;
  const Matrix X = random(N, 3, 1), Y = random(2, N, 2), Z = random(M, 3, 3),
               theta = 0.2 * random(4, 1, 4), direction = random(M, 3, 5);
  const auto at = [&](double step, Tape<double>& tape, Var<double>& z) {
    z = tape.variable(Z + step * direction);
    return collapsed_bound<double>(z, tape.constant(theta), tape.constant(Matrix::Zero(1, 1)),
                                   {X.topRows(100), X.bottomRows(210)},
                                   {Y.leftCols(100), Y.rightCols(210)}, 1e-3, 0.3);
  };
  const auto value = [&](double step) {
    Tape<double> tape;
    Var<double> z;
    return at(step, tape, z).value()(0);
  };
  Tape<double> tape;
  Var<double> z;
  tape.backward(at(0, tape, z));
  const double slope = z.grad().cwiseProduct(direction).sum(), h = 1e-5;
  EXPECT_NEAR((value(h) - value(-h)) / (2 * h), slope, 1e-5 * std::abs(slope));
}

TEST(Hyper, TiedLengthscalesExpandToOnePerInput) {
  Tape<double> tape;
  Matrix p(2, 1);
  p << 3, 5;
  const Matrix theta = expand(tape.constant(p), 4).value();
  ASSERT_EQ(theta.rows(), 5);
  EXPECT_EQ(theta(0), 3);
  EXPECT_EQ(theta(3), 3);
  EXPECT_EQ(theta(4), 5);
}

}  // namespace
}  // namespace vargp
