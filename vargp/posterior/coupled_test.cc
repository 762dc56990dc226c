#include "vargp/posterior/coupled.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "vargp/core/parallel.h"
#include "vargp/core/random.h"

namespace vargp {
namespace {

using Matrix = Mat<double>;

Matrix theta_of(Index D, double lengthscale, double scale) {
  Matrix theta = Matrix::Constant(D + 1, 1, std::log(lengthscale));
  theta(D) = std::log(scale);
  return theta;
}

struct Labelled {
  RowMat<double> X;
  Matrix Y;
};

// Classes in overlapping clusters.
Labelled clusters(Random& random, Index N, Index D, Index C) {
  Labelled data{random.normals<double>(N, D), Matrix::Zero(C, N)};
  for (Index i = 0; i < N; ++i) {
    const Index c = random.below(C);
    data.X(i, 0) += 1.5 * static_cast<double>(c);
    data.Y(c, i) = 1;
  }
  return data;
}

class CoupledSoftmax : public testing::TestWithParam<std::uint64_t> {};

TEST_P(CoupledSoftmax, NeverLowersItsBoundAndStaysBelowTheMonteCarloBound) {
  Random random(GetParam(), Purpose::kTest);
  const Index D = 1 + random.below(3), C = 2 + random.below(3), N = 20 + random.below(40);
  CoupledPosterior<double> q(theta_of(D, 1 + random.uniform(), 1 + random.uniform()), 1e-8);
  for (int task = 0; task < 2; ++task) {
    const Labelled data = clusters(random, N, D, C);
    q.add_inducing(data.X.topRows(10));
    q.add_outputs(C - q.C());
    const Matrix Lambda_old = q.Lambda().selfadjointView<Eigen::Lower>(), mu_old = q.mu();
    const auto trail = q.learn_softmax(data.X, data.Y, 0.5, 50, 0);
    ASSERT_GE(trail.size(), 2u);
    for (std::size_t i = 1; i < trail.size(); ++i)
      EXPECT_GE(trail[i], trail[i - 1] - 1e-9 * std::abs(trail[i - 1])) << "iteration " << i;

    // The bound itself, its expectation by sampling: ELL - KL[q_t || q_{t-1}].
    Matrix mean, var;
    q.latent(data.X, mean, &var);
    const Matrix Lambda = q.Lambda().selfadjointView<Eigen::Lower>(), moved = q.mu() - mu_old;
    const double kl =
        0.5 * (static_cast<double>(C) *
                   ((Lambda_old * Lambda.inverse()).trace() - static_cast<double>(q.n()) +
                    std::log(Lambda.determinant() / Lambda_old.determinant())) +
               moved.cwiseProduct(Lambda_old * moved).sum());
    const int samples = 2000;
    double sum = 0, squares = 0;
    for (int s = 0; s < samples; ++s) {
      double ell = 0;
      for (Index i = 0; i < N; ++i) {
        const Vec<double> f = mean.col(i) + std::sqrt(var(i)) * random.normals<double>(C, 1).col(0);
        ell += data.Y.col(i).dot(f) - std::log(f.array().exp().sum());
      }
      sum += ell;
      squares += ell * ell;
    }
    const double average = sum / samples;
    const double error = std::sqrt((squares / samples - average * average) / samples);
    EXPECT_LE(trail.back(), average - kl + 4 * error);
    EXPECT_GE(trail.back(), average - kl - 2.0 * static_cast<double>(N));  // and not by a mile
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, CoupledSoftmax, testing::Range<std::uint64_t>(1, 21));

TEST(Coupled, SoftmaxStopsWhereTheGradientOfItsBoundVanishes) {
  Random random(3, Purpose::kTest);
  const Labelled data = clusters(random, 60, 2, 3);
  CoupledPosterior<double> q(theta_of(2, 1, 2), 1e-8);
  q.add_inducing(data.X.topRows(15));
  q.add_outputs(3);
  const auto few = q;
  q.learn_softmax(data.X, data.Y, 0.5, 500, 0);
  // mu = W (Y - p) at the optimum of the first task; so a restart from there gains nothing.
  auto again = few;
  const auto trail = again.learn_softmax(data.X, data.Y, 0.5, 500, 0);
  EXPECT_EQ(again.mu(), q.mu());
  EXPECT_LT(trail.back() - trail[trail.size() / 2], 1e-3);
}

TEST(Coupled, AddingInducingInputsOrOutputsChangesNoPrediction) {
  Random random(4, Purpose::kTest);
  const Labelled data = clusters(random, 40, 2, 2);
  CoupledPosterior<double> q(theta_of(2, 1, 1), 1e-10);
  q.add_inducing(data.X.topRows(10));
  q.add_outputs(2);
  q.learn_gaussian(data.X, data.Y, 0.1);
  const Matrix X = random.normals<double>(15, 2);
  Matrix mean, var, mean_after, var_after;
  q.latent(X, mean, &var);
  q.add_inducing(random.normals<double>(8, 2));
  q.add_outputs(1);
  q.latent(X, mean_after, &var_after);
  EXPECT_LT((mean_after.topRows(2) - mean).norm(), 1e-9);
  EXPECT_EQ(mean_after.row(2).norm(), 0);
  EXPECT_LT((var_after - var).norm(), 1e-7);
}

TEST(Coupled, HasTheSameBitsWhateverTheNumberOfThreads) {
  const auto learned = [](int threads) {
    Random random(5, Purpose::kTest);
    const Labelled data = clusters(random, 3000, 2, 3);
    CoupledPosterior<double> q(theta_of(2, 1, 1), 1e-6);
    with_threads(threads, [&] {
      q.add_inducing(data.X.topRows(300));
      q.add_outputs(3);
      q.learn_gaussian(data.X, data.Y, 0.1);
      q.learn_softmax(data.X, data.Y, 0.5, 5, 0);
    });
    return Matrix(q.mu());
  };
  const Matrix one = learned(1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(learned(threads), one) << threads;
}

}  // namespace
}  // namespace vargp
