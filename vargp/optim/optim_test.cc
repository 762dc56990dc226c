#include <gtest/gtest.h>

#include <cmath>

#include "vargp/core/random.h"
#include "vargp/optim/natural.h"
#include "vargp/optim/optimizer.h"

namespace vargp {
namespace {

TEST(Adam, FirstStepIsTheLearningRateWhateverTheGradient) {
  for (const double g : {1e-3, 1.0, 1e3}) {
    Mat<double> x = Mat<double>::Constant(2, 1, 5);
    Optimizer<double> adam({Rule::kAdam, 0.1});
    adam.step({&x}, {Mat<double>::Constant(2, 1, g)});
    EXPECT_NEAR(x(0), 4.9, 1e-5);
  }
}

TEST(Yogi, FirstStepFollowsItsEquations) {
  // m = 0.9e-6 + 0.1, v = 1e-6 + 0.001 (1 - sign of v - g^2 is -1), both divided by 1 - b.
  Mat<double> x = Mat<double>::Zero(1, 1);
  Optimizer<double> yogi({Rule::kYogi, 0.1});
  yogi.step({&x}, {Mat<double>::Ones(1, 1)});
  const double m = (0.9 * 1e-6 + 0.1) / 0.1, v = (1e-6 + 0.001) / 0.001;
  EXPECT_NEAR(x(0), -0.1 * m / (std::sqrt(v) + 1e-3), 1e-12);
}

TEST(Optimizers, FindTheMinimumOfAQuadratic) {
  for (const Rule rule : {Rule::kAdam, Rule::kYogi}) {
    Mat<double> x = Mat<double>::Constant(3, 1, 2);
    Mat<double> goal(3, 1);
    goal << -1, 0.5, 3;
    Optimizer<double> optimizer({rule, 0.05});
    for (int i = 0; i < 2000; ++i) optimizer.step({&x}, {Mat<double>(x - goal)});
    EXPECT_LT((x - goal).norm(), 1e-2);
  }
}

TEST(NaturalParameters, MomentsAndBackAreTheSame) {
  Random random(1, Purpose::kTest);
  const Index M = 9;
  Mat<double> Ls =
      0.3 * Mat<double>(random.normals<double>(M, M).triangularView<Eigen::StrictlyLower>());
  Ls.diagonal() = random.normals<double>(M, 1).cwiseAbs().array() + 0.5;
  const Vec<double> m = random.normals<double>(M, 1);
  Vec<double> m2;
  Mat<double> Ls2;
  NaturalParameters::from(m, Ls).moments(m2, Ls2, "S");
  EXPECT_LT((m - m2).norm(), 1e-10);
  EXPECT_LT((Ls - Ls2).norm(), 1e-10);
}

TEST(NaturalParameters, AStepOfOneIsTheTarget) {
  NaturalParameters q{Mat<double>::Identity(2, 2), Vec<double>::Zero(2)};
  const NaturalParameters target{3 * Mat<double>::Identity(2, 2), Vec<double>::Ones(2)};
  q.step(target, 0.5);
  EXPECT_EQ(q.precision(0, 0), 2);
  q.step(target, 1);
  EXPECT_EQ(q.precision, target.precision);
  EXPECT_EQ(q.shift, target.shift);
}

}  // namespace
}  // namespace vargp
