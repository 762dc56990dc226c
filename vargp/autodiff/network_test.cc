#include "vargp/autodiff/network.h"

#include <gtest/gtest.h>

#include "vargp/autodiff/gradcheck.h"

namespace vargp {
namespace {

using Vars = std::vector<Var<double>>;
using T = Tape<double>;

Mat<double> random(Index rows, Index cols, std::uint64_t seed) {
  return Random(seed, Purpose::kTest).normals<double>(rows, cols);
}

TEST(NetworkOps, Gradients) {
  const auto A = random(3, 4, 1);
  expect_gradients({random(2, 4, 2), A}, [](T&, const Vars& v) { return affine(v[0], v[1]); });
  Mat<double> points = random(9, 5, 5);  // mostly zeros, and so by those that are not
  for (Index i = 0; i < points.size(); ++i)
    if (i % 4 != 0) points(i) = 0;
  expect_gradients({random(2, 10, 6)},
                   [&](T& tape, const Vars& v) { return affine(v[0], tape.constant(points)); });
  expect_gradients({A}, [](T&, const Vars& v) { return relu(v[0]); });
  expect_gradients({A}, [](T&, const Vars& v) { return square(v[0]); });
  const auto eps = random(3, 4, 3);
  expect_gradients({A, random(3, 4, 4).cwiseAbs()},
                   [&](T&, const Vars& v) { return reparametrise(v[0], v[1], eps); });
  const Mat<double> Y = Mat<double>::Identity(3, 4);  // the last column has no class: still smooth
  expect_gradients({A}, [&](T&, const Vars& v) { return cross_entropy(v[0], Y); });
}

TEST(NetworkOps, Values) {
  Tape<double> tape;
  const Mat<double> W{{2, 1}}, a{{3}};
  EXPECT_DOUBLE_EQ(affine(tape.constant(W), tape.constant(a)).value()(0), 7);
  const Mat<double> V = random(3, 9, 7), points{{0, 2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0},
                                                {0, 0, 3}, {0, 0, 0}, {0, 0, 0}, {0, 1, 0}};
  EXPECT_LT((affine(tape.variable(V), tape.constant(points)).value() -
             affine(tape.constant(V), tape.constant(points)).value())
                .norm(),
            1e-14);
  const Mat<double> f = Mat<double>::Zero(2, 3), Y{{1, 1, 0}, {0, 0, 1}};
  EXPECT_DOUBLE_EQ(cross_entropy(tape.constant(f), Y).value()(0), 3 * std::log(2.0));
}

}  // namespace
}  // namespace vargp
