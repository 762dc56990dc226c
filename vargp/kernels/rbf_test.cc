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

}  // namespace
}  // namespace vargp
