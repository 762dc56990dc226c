#include <gtest/gtest.h>

#include <cmath>

#include "vargp/autodiff/gradcheck.h"
#include "vargp/likelihoods/gaussian.h"
#include "vargp/likelihoods/label_link.h"
#include "vargp/likelihoods/softmax.h"

namespace vargp {
namespace {

using Vars = std::vector<Var<double>>;

Mat<double> random(Index rows, Index cols, std::uint64_t seed) {
  return Random(seed, Purpose::kTest).normals<double>(rows, cols);
}

Mat<double> one_hot(Index C, Index N) {
  Mat<double> Y = Mat<double>::Zero(C, N);
  for (Index i = 0; i < N; ++i) Y(i % C, i) = 1;
  return Y;
}

Noise<double> noise_of(Index C, Index N, Index F) {
  Random stream(9, Purpose::kTest);
  Noise<double> noise;
  for (Index f = 0; f < F; ++f) noise.push_back(stream.normals<double>(C, N));
  return noise;
}

TEST(Softmax, TwoEqualClassesHaveLogHalf) {
  Tape<double> tape;
  const Mat<double> zero = Mat<double>::Zero(2, 1);
  const auto value =
      Softmax<double>{}.expected_log(tape.constant(zero), tape.constant(zero), one_hot(2, 1),
                                     tape.constant(zero), {Mat<double>::Zero(2, 1)});
  EXPECT_DOUBLE_EQ(value.value()(0), -std::log(2));
}

TEST(Softmax, IsFiniteForLargeValues) {
  const Mat<double> f = 1e4 * random(3, 5, 1);
  EXPECT_TRUE(softmax(f).allFinite());
  EXPECT_TRUE(log_sum_exp(f).allFinite());
  EXPECT_NEAR(softmax(f).sum(), 5, 1e-12);
}

TEST(Softmax, Gradients) {
  const Mat<double> Y = one_hot(3, 4);
  const auto noise = noise_of(3, 4, 5);
  expect_gradients({random(3, 4, 1), random(3, 4, 2).cwiseAbs() + Mat<double>::Ones(3, 4)},
                   [&](Tape<double>& tape, const Vars& v) {
                     return Softmax<double>{}.expected_log(
                         v[0], v[1], Y, tape.constant(Mat<double>::Zero(1, 1)), noise);
                   });
}

TEST(Softmax, CurvatureIsTheExpectedGradientAndHessian) {
  // With very many samples, d ELL / d var of the reparametrised estimate tends to -lambda / 2.
  const Mat<double> mean = random(3, 1, 1), var = 0.5 * Mat<double>::Ones(3, 1), Y = one_hot(3, 1);
  const auto noise = noise_of(3, 1, 200000);
  const auto c = Softmax<double>{}.curvature(mean, var, Y, 0, noise);
  Tape<double> tape;
  const Var<double> m = tape.variable(mean), v = tape.variable(var);
  tape.backward(
      Softmax<double>{}.expected_log(m, v, Y, tape.constant(Mat<double>::Zero(1, 1)), noise));
  EXPECT_LT((c.g - m.grad()).norm(), 1e-9);
  EXPECT_LT((c.lambda + 2 * v.grad()).cwiseAbs().maxCoeff(), 0.01);
  EXPECT_GE(c.lambda.minCoeff(), 0);
}

TEST(Softmax, BalancedNoiseFavoursNoClass) {
  const auto noise = balanced_noise<double>(Random(1, Purpose::kTest), 4, 24);
  ASSERT_EQ(noise.size(), 24u);
  const Mat<double> p =
      softmax_probabilities<double>(Mat<double>::Zero(4, 1), Mat<double>::Constant(4, 1, 9), noise);
  for (Index c = 0; c < 4; ++c) EXPECT_NEAR(p(c), 0.25, 1e-12);
}

TEST(Gaussian, HasTheValueThatItsHeaderNames) {
  Tape<double> tape;
  const auto zero = tape.constant(Mat<double>::Zero(1, 1));
  EXPECT_DOUBLE_EQ(
      Gaussian<double>{}.expected_log(zero, zero, Mat<double>::Zero(1, 1), zero, {}).value()(0),
      -0.9189385332046727);
}

TEST(Gaussian, Gradients) {
  const Mat<double> Y = random(2, 5, 7);
  expect_gradients({random(2, 5, 1), random(2, 5, 2).cwiseAbs(), random(1, 1, 3)},
                   [&](Tape<double>&, const Vars& v) {
                     return Gaussian<double>{}.expected_log(v[0], v[1], Y, v[2], {});
                   });
}

TEST(LabelLink, HasTheValueThatItsHeaderNames) {
  Mat<double> mean(2, 1);
  mean << 1, 0;
  EXPECT_NEAR(LabelLink(std::log(3)).probabilities(mean)(0), 0.75, 1e-15);
}

TEST(LabelLink, LearnsTheScaleThatTheLabelsWereDrawnWith) {
  const Index N = 20000;
  const Mat<double> mean = random(3, N, 1), p = softmax<double>(3 * mean);
  Random stream(2, Purpose::kTest);
  Mat<double> Y = Mat<double>::Zero(3, N);
  for (Index i = 0; i < N; ++i) {
    const double u = stream.uniform();
    Y(u < p(0, i) ? 0 : u < p(0, i) + p(1, i) ? 1 : 2, i) = 1;
  }
  LabelLink link;
  link.learn(mean, Y);
  EXPECT_NEAR(link.a(), 3, 0.1);
}

}  // namespace
}  // namespace vargp
