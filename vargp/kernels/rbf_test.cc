#include "vargp/kernels/rbf.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vargp/autodiff/gradcheck.h"

namespace vargp {
namespace {

using Vars = std::vector<Var<double>>;

Mat<double> column(std::initializer_list<double> values) {
  Mat<double> v(static_cast<Index>(values.size()), 1);
  std::copy(values.begin(), values.end(), v.data());
  return v;
}

Mat<double> random(Index rows, Index cols, std::uint64_t seed) {
  return Random(seed, Purpose::kTest).normals<double>(rows, cols);
}

TEST(Rbf, HasTheValuesThatItsHeaderNames) {
  const Mat<double> x0 = column({0}), x1 = column({1}), x2 = column({2});
  EXPECT_DOUBLE_EQ(rbf_gram<double>(x0, x0, column({0, 0}))(0), 1);
  EXPECT_DOUBLE_EQ(rbf_gram<double>(x0, x1, column({0, 0}))(0), std::exp(-0.5));
  EXPECT_DOUBLE_EQ(rbf_gram<double>(x0, x2, column({std::log(2), std::log(3)}))(0),
                   9 * std::exp(-0.5));
}

TEST(Rbf, EveryInputHasItsOwnLengthscale) {
  const Mat<double> Z = random(3, 2, 1), X = random(4, 2, 2), theta = column({0.3, -0.7, 0.2});
  const Mat<double> K = rbf_gram<double>(Z, X, theta);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 4; ++j) {
      const double d0 = (Z(i, 0) - X(j, 0)) / std::exp(0.3),
                   d1 = (Z(i, 1) - X(j, 1)) / std::exp(-0.7);
      EXPECT_NEAR(K(i, j), std::exp(0.4) * std::exp(-0.5 * (d0 * d0 + d1 * d1)), 1e-14);
    }
}

TEST(Rbf, TheGramOfASetWithItselfIsExactlySymmetricWithAnExactDiagonal) {
  const Mat<double> Z = 1000 * random(7, 3, 1), theta = random(4, 1, 2);
  const Mat<double> K = rbf_gram<double>(Z, theta);
  EXPECT_EQ(K, Mat<double>(K.transpose()));
  for (Index i = 0; i < 7; ++i) EXPECT_EQ(K(i, i), std::exp(2 * theta(3)));
}

TEST(Rbf, Gradients) {
  const Mat<double> Z = random(4, 3, 1), X = random(5, 3, 2), theta = 0.3 * random(4, 1, 3);
  expect_gradients({Z, X, theta},
                   [](Tape<double>&, const Vars& v) { return rbf_gram(v[0], v[1], v[2]); });
  expect_gradients({Z, theta}, [](Tape<double>&, const Vars& v) { return rbf_gram(v[0], v[1]); });
  expect_gradients({theta}, [](Tape<double>&, const Vars& v) { return rbf_variance(v[0]); });
}

TEST(Rbf, GradientsOfRowsThatMoveAreTheSameWithFixedOnesAbove) {
  // More rows than a block, so that fixed ones come in several.
  const Mat<double> Z = random(150, 3, 1), theta = 0.3 * random(4, 1, 3), d = random(150, 150, 4);
  const auto gradients = [&](Index fixed) {
    Tape<double> tape;
    const Var<double> z = tape.variable(Z), th = tape.variable(theta);
    tape.backward({{rbf_gram(z, th, fixed), d}});
    return std::pair(z.grad(), th.grad());
  };
  const auto all = gradients(0), some = gradients(140);
  EXPECT_EQ(some.first.topRows(140).norm(), 0);
  EXPECT_LT((some.first - all.first).bottomRows(10).norm(), 1e-12 * all.first.norm());
  EXPECT_LT((some.second - all.second).norm(), 1e-12 * all.second.norm());
}

// Two thirds zeros, one input that is zero for all points, and a point that is zero.
Mat<double> mostly_zero(Index rows, Index cols) {
  Mat<double> X = random(rows, cols, 5);
  X = (random(rows, cols, 6).array() > 0.7).select(X, 0);
  X.col(1).setZero();
  X.row(2).setZero();
  return X;
}

TEST(Rbf, PointsThatAreMostlyZeroGiveTheSameGramAndGradients) {
  const Mat<double> Z = random(21, 4, 1), X = mostly_zero(9, 4), theta = 0.3 * random(5, 1, 3);
  const auto sparse = sparse_inputs(X);
  ASSERT_TRUE(sparse);
  const auto op = [&](Tape<double>&, const Vars& v) {
    return rbf_gram(v[0], sparse_points(sparse, v[1]), v[1]);
  };
  expect_gradients({Z, theta}, op);
  Tape<double> tape;
  const Mat<double> K = op(tape, {tape.constant(Z), tape.constant(theta)}).value();
  const Mat<double> whole =
      rbf_gram(tape.variable(Z), tape.constant(X), tape.constant(theta)).value();
  EXPECT_LT((K - whole).norm(), 1e-14 * K.norm());
}

// Points in any company: some mostly zeros, some not.
TEST(Rbf, TheGramOfAPointDoesNotDependOnThoseBesideIt) {
  const Mat<double> Z = random(21, 4, 1), few = mostly_zero(6, 4), many = random(6, 4, 2),
                    theta = 0.3 * random(5, 1, 3);
  Mat<double> mixed = many;
  for (const Index i : {0, 2, 3}) mixed.row(i) = few.row(i);
  const Mat<double> K = rbf_gram(Z, mixed, theta), K_few = rbf_gram(Z, few, theta),
                    K_many = rbf_gram(Z, many, theta);
  for (Index i = 0; i < 6; ++i)
    EXPECT_EQ(K.col(i), (i == 0 || i == 2 || i == 3 ? K_few : K_many).col(i)) << i;
}

TEST(Rbf, FixedRowsGetNoGradientFromPointsThatAreMostlyZero) {
  const Mat<double> Z = random(21, 4, 1), X = mostly_zero(9, 4), theta = 0.3 * random(5, 1, 3);
  const Mat<double> d = random(21, 9, 4);
  const auto gradients = [&](Index fixed, bool moves_theta) {
    Tape<double> tape;
    const Var<double> z = tape.variable(Z);
    const Var<double> th = moves_theta ? tape.variable(theta) : tape.constant(theta);
    tape.backward({{rbf_gram(z, sparse_points(sparse_inputs(X), th), th, fixed), d}});
    return std::pair(z.grad(), th.grad());
  };
  const auto all = gradients(0, true);
  for (const bool moves_theta : {false, true}) {
    const auto some = gradients(15, moves_theta);
    EXPECT_EQ(some.first.topRows(15).norm(), 0);
    EXPECT_EQ(some.first.bottomRows(6), all.first.bottomRows(6));
    if (moves_theta) {
      EXPECT_EQ(some.second, all.second);
    }
  }
}

TEST(Rbf, PointsWithFewZerosAreNotSparse) { EXPECT_FALSE(sparse_inputs<double>(random(5, 3, 1))); }

}  // namespace
}  // namespace vargp
