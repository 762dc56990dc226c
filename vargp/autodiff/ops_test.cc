#include "vargp/autodiff/ops.h"

#include <gtest/gtest.h>

#include "vargp/autodiff/gradcheck.h"

namespace vargp {
namespace {

using Vars = std::vector<Var<double>>;
using T = Tape<double>;

Mat<double> random(Index rows, Index cols, std::uint64_t seed) {
  return Random(seed, Purpose::kTest).normals<double>(rows, cols);
}

// A well-conditioned lower-triangular matrix.
Mat<double> lower(Index n, std::uint64_t seed) {
  Mat<double> L = 0.3 * Mat<double>(random(n, n, seed).triangularView<Eigen::StrictlyLower>());
  L.diagonal() = random(n, 1, seed + 1).cwiseAbs().array() + 1;
  return L;
}

TEST(Ops, ElementwiseGradients) {
  const auto A = random(3, 4, 1), B = random(3, 4, 2);
  expect_gradients({A, B}, [](T&, const Vars& v) { return add(v[0], v[1]); });
  expect_gradients({A, B}, [](T&, const Vars& v) { return subtract(v[0], v[1]); });
  expect_gradients({A}, [](T&, const Vars& v) { return scale(v[0], 2.5); });
  expect_gradients({A, random(1, 1, 3)}, [](T&, const Vars& v) { return scale_by(v[0], v[1]); });
  expect_gradients({A, B}, [](T&, const Vars& v) { return product(v[0], v[1]); });
  expect_gradients({A}, [](T&, const Vars& v) { return exp(v[0]); });
  expect_gradients({A}, [](T&, const Vars& v) { return softplus(v[0]); });
  expect_gradients({A}, [](T&, const Vars& v) { return transpose(v[0]); });
}

TEST(Ops, ProductGradients) {
  expect_gradients({random(3, 4, 1), random(4, 2, 2)},
                   [](T&, const Vars& v) { return matmul(v[0], v[1]); });
  expect_gradients({random(4, 3, 1), random(4, 2, 2)},
                   [](T&, const Vars& v) { return matmul_transposed(v[0], v[1]); });
  expect_gradients({random(3, 2, 1), random(6, 4, 2)},
                   [](T&, const Vars& v) { return matmul_transposed(v[0], v[1], 2); });
}

TEST(Ops, ReductionAndBlockGradients) {
  const auto A = random(4, 3, 1);
  expect_gradients({A}, [](T&, const Vars& v) { return sum(v[0]); });
  expect_gradients({A}, [](T&, const Vars& v) { return sum_of_squares(v[0]); });
  expect_gradients({A}, [](T&, const Vars& v) { return trace(v[0]); });
  expect_gradients({A, random(2, 3, 2)}, [](T&, const Vars& v) {
    return vstack<double>({v[0], v[1]});
  });
  expect_gradients({random(1, 3, 1), random(1, 3, 2)}, [](T&, const Vars& v) {
    return vstack<double>({v[0], v[1], v[0]});
  });
  expect_gradients({A, random(4, 2, 2)}, [](T&, const Vars& v) {
    return hstack<double>({v[0], v[1], v[0]});
  });
  expect_gradients({A}, [](T&, const Vars& v) { return block(v[0], 1, 0, 2, 2); });
  expect_gradients({A + Mat<double>::Constant(4, 3, 5)},
                   [](T&, const Vars& v) { return log_diagonal_sum(v[0]); });
}

TEST(Ops, CholeskyGradientWithRelativeJitter) {
  const auto A = random(5, 7, 3);
  expect_gradients({A}, [](T&, const Vars& v) {
    return cholesky(
        add(matmul(v[0], transpose(v[0])), v[0].tape().constant(Mat<double>::Identity(5, 5))), 0.1,
        "K");
  });
}

TEST(Ops, SolveGradients) {
  expect_gradients({lower(5, 1), random(5, 3, 3)}, [](T&, const Vars& v) {
    // Only the lower triangle is looked at.
    return solve_lower(v[0], v[1]);
  });
  expect_gradients({lower(5, 1), random(5, 3, 3)},
                   [](T&, const Vars& v) { return solve_lower_transposed(v[0], v[1]); });
}

TEST(Ops, LowerFromVectorFillsRowByRowWithAPositiveDiagonal) {
  Tape<double> tape;
  Mat<double> v(3, 1);
  v << 0, 2, -1;
  const Mat<double> L = lower_from_vector(tape.constant(v), 2).value();
  EXPECT_DOUBLE_EQ(L(0, 0), std::log(2.0));
  EXPECT_DOUBLE_EQ(L(1, 0), 2);
  EXPECT_DOUBLE_EQ(L(0, 1), 0);
  EXPECT_NEAR(L(1, 1), std::log1p(std::exp(-1.0)), 1e-15);
  expect_gradients({random(6, 1, 1)}, [](T&, const Vars& x) { return lower_from_vector(x[0], 3); });
}

TEST(Ops, ExplainedVarianceIsWhatTheProjectionsLeaveOfTheSquares) {
  const auto R = random(3, 6, 1), W = random(6, 4, 2);
  const auto op = [](T&, const Vars& v) {
    return explained_variance(explained_covariance(v[0]), v[1], 2);
  };
  expect_gradients({R, W}, op);
  Tape<double> tape;
  const Mat<double> expected = column_squares(tape.constant(W), 2, 3, 2).value() -
                               projected_squares(tape.constant(R), tape.constant(W), 2).value();
  // With a gradient to come, and without.
  for (const Var<double>& w : {tape.variable(W), tape.constant(W)})
    EXPECT_LT((op(tape, {tape.constant(R), w}).value() - expected).norm(), 1e-14);
}

TEST(Ops, GradientsOfSquares) {
  expect_gradients({random(3, 6, 1), random(6, 4, 2)},
                   [](T&, const Vars& v) { return projected_squares(v[0], v[1], 2); });
  expect_gradients({random(6, 4, 2)},
                   [](T&, const Vars& v) { return column_squares(v[0], 2, 3, 2); });
}

TEST(Ops, KlOfANormalToItselfIsZeroAndItsGradientRight) {
  const auto mean = random(4, 1, 1), logvar = random(4, 1, 2);
  const auto prior_mean = random(4, 1, 3), prior_logvar = random(4, 1, 4);
  Tape<double> tape;
  EXPECT_NEAR(kl_diagonal(tape.constant(mean), tape.constant(logvar), mean, logvar).value()(0), 0,
              1e-15);
  // KL[ N(1, 1) || N(0, 1) ] = 1/2
  const Mat<double> zero = Mat<double>::Zero(1, 1), one = Mat<double>::Ones(1, 1);
  EXPECT_DOUBLE_EQ(kl_diagonal(tape.constant(one), tape.constant(zero), zero, zero).value()(0),
                   0.5);
  expect_gradients({mean, logvar}, [&](T&, const Vars& v) {
    return kl_diagonal(v[0], v[1], prior_mean, prior_logvar);
  });
}

TEST(Tape, PartsInParallelGiveTheGradientsOfTheWhole) {
  expect_gradients({random(3, 3, 1), random(3, 6, 2)}, [](T& tape, const Vars& v) {
    // Nested: the outer parts share v[0], the inner ones a product of it.
    const auto parts = tape.parallel(3, [&](T& part, Index i) {
      const Var<double> A = part.import(v[0]), B = block(part.import(v[1]), 0, 2 * i, 3, 2);
      const Var<double> AB = matmul(A, B);
      const auto inner = part.parallel(
          2, [&](T& leaf, Index j) { return Vars{exp(block(leaf.import(AB), 0, j, 3, 1))}; });
      return Vars{sum(inner[0][0]), product(inner[1][0], inner[0][0])};
    });
    return add(add(parts[0][0], parts[1][0]), sum(parts[2][1]));
  });
}

TEST(Tape, ConstantsGetNoGradient) {
  Tape<double> tape;
  const Var<double> c = tape.constant(random(2, 2, 1)), v = tape.variable(random(2, 2, 2));
  tape.backward(sum(matmul(c, v)));
  EXPECT_EQ(c.grad().norm(), 0);
  EXPECT_GT(v.grad().norm(), 0);
}

}  // namespace
}  // namespace vargp
