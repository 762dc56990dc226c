#include "vargp/baselines/penalty.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vargp/likelihoods/softmax.h"

namespace vargp {
namespace {

// A network of one layer is a logistic model: E_y (p_c - y_c)^2 x_d^2 = p_c (1 - p_c) x_d^2.
TEST(Ewc, FisherOfALogisticModelIsItsClosedForm) {
  constexpr Index N = 40000, D = 3, C = 4;
  Random r(1, Purpose::kTest);
  const RowMat<float> X = r.normals<float>(N, D);
  const Mat<double> W = r.normals<double>(C, D + 1);
  const Weights<double> F = fisher<double>({W}, X, 1, 0);
  Mat<double> with_one(D + 1, N);
  with_one.topRows(D) = X.transpose().cast<double>();
  with_one.row(D).setOnes();
  const Mat<double> p = softmax<double>(W * with_one);
  const Mat<double> expected =
      (p.array() * (1 - p.array())).matrix() * with_one.cwiseAbs2().transpose();
  ASSERT_EQ(F.size(), 1u);
  for (Index k = 0; k < expected.size(); ++k) EXPECT_NEAR(F[0](k) / expected(k), 1, 0.06) << k;
}

// Gradients of single points are squared, not that of a batch: with two points whose gradients
// cancel, the latter would be zero.
TEST(Ewc, FisherIsOfSinglePoints) {
  RowMat<float> X(2, 1);
  X << 1, -1;
  const Weights<double> F = fisher<double>({Mat<double>::Zero(2, 2)}, X, 1, 0);
  // p = 1/2 whatever the label: (1/2)^2 from each point.
  for (Index k = 0; k < 4; ++k) EXPECT_DOUBLE_EQ(F[0](k), 0.5);
}

TEST(Penalty, TwoQuadraticsAreKeptInTwoSums) {
  const Mat<float> F1{{1, 2}}, F2{{3, 0.5F}}, w1{{0.5F, 1}}, w2{{-1, 2}}, w{{0.3F, -0.7F}};
  QuadraticPenalty penalty{{F1 + F2}, {F1.cwiseProduct(w1) + F2.cwiseProduct(w2)}};
  Weights<float> gradient = {Mat<float>::Zero(1, 2)}, none = gradient;
  const auto direct = [&](const Mat<float>& at) {
    return 0.5 * (F1.array() * (at - w1).array().square() + F2.array() * (at - w2).array().square())
                     .sum();
  };
  const Mat<float> zero = Mat<float>::Zero(1, 2);
  const double value = penalty.add({w}, 2, gradient) - penalty.add({zero}, 2, none);
  EXPECT_NEAR(value, 2 * (direct(w) - direct(zero)), 1e-5);
  // Nothing at its least.
  EXPECT_NEAR(penalty.add({(penalty.Q[0].array() / penalty.P[0].array()).matrix()}, 2, none), 0,
              1e-10);
  for (Index k = 0; k < 2; ++k)
    EXPECT_NEAR(gradient[0](k), 2 * (F1(k) * (w(k) - w1(k)) + F2(k) * (w(k) - w2(k))), 1e-5);
}

// L = 1/2 w'Aw: what the path integral sums up to is what the loss has come down, better the
// shorter the steps, and each weight gets its part.
TEST(Si, PathIntegralSumsToTheLossDropOnAQuadratic) {
  const Mat<double> A{{2, 0.5}, {0.5, 1}};
  const auto loss = [&](const Mat<double>& w) { return 0.5 * (w.transpose() * A * w)(0); };
  const auto error = [&](double rate) {
    Weights<double> w = {Mat<double>{{1}, {-2}}};
    const double start = loss(w[0]);
    PathIntegral<double> path;
    for (int step = 0; step * rate < 3; ++step) {
      const Weights<double> before = w, gradient = {A * w[0]};
      w[0] -= rate * gradient[0];
      path.add(before, w, gradient);
    }
    return std::abs(path.omega[0].sum() - (start - loss(w[0]))) / start;
  };
  EXPECT_LT(error(1e-4), 1e-3);
  EXPECT_NEAR(error(1e-2) / error(5e-3), 2, 0.1);
}

}  // namespace
}  // namespace vargp
