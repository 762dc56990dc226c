#include "vargp/core/linalg.h"

#include <gtest/gtest.h>

#include "vargp/core/exceptions.h"
#include "vargp/core/parallel.h"
#include "vargp/core/random.h"

namespace vargp {
namespace {

Mat<double> positive_definite(Index n, std::uint64_t seed) {
  const Mat<double> A = Random(seed, Purpose::kTest).normals<double>(n, n + 5);
  return A * A.transpose() + Mat<double>::Identity(n, n);
}

// Sizes below, at and above the block of 64 and the tile of 256.
class LinalgTest : public testing::TestWithParam<Index> {};

TEST_P(LinalgTest, CholeskyTimesItsTransposeIsTheMatrix) {
  const Mat<double> K = positive_definite(GetParam(), 1);
  const Mat<double> L = cholesky<double>(K, 0, "K");
  EXPECT_LT((L * L.transpose() - K).norm(), 1e-12 * K.norm());
  EXPECT_EQ(L.triangularView<Eigen::StrictlyUpper>().toDenseMatrix().norm(), 0);
}

TEST_P(LinalgTest, SolvesInvertTheProduct) {
  const Mat<double> L = cholesky<double>(positive_definite(GetParam(), 2), 0, "K");
  const Mat<double> X = Random(3, Purpose::kTest).normals<double>(GetParam(), 37);
  Mat<double> B = L * X;
  solve_lower<double>(L, B);
  EXPECT_LT((B - X).norm(), 1e-10 * X.norm());
  B = L.transpose() * X;
  solve_lower_transposed<double>(L, B);
  EXPECT_LT((B - X).norm(), 1e-10 * X.norm());
}

TEST_P(LinalgTest, CholeskyAdjointIsTheTransposeOfItsDifferential) {
  // For a small symmetric dK, <dL, L(K + dK) - L(K)> = <adjoint(dL), dK>.
  const Index n = GetParam();
  const Mat<double> K = positive_definite(n, 4), L = cholesky<double>(K, 0, "K");
  const Mat<double> dL = Random(5, Purpose::kTest).normals<double>(n, n);
  Mat<double> dK = Random(6, Purpose::kTest).normals<double>(n, n);
  dK = (dK + dK.transpose()).eval();
  const double h = 1e-6;
  const Mat<double> change =
      (cholesky<double>(K + h * dK, 0, "K") - cholesky<double>(K - h * dK, 0, "K")) / (2 * h);
  const double expected = change.cwiseProduct(Mat<double>(dL.triangularView<Eigen::Lower>())).sum();
  const Mat<double> adjoint = cholesky_adjoint(L, dL);
  EXPECT_NEAR(adjoint.cwiseProduct(dK).sum(), expected, 1e-5 * (1 + std::abs(expected)));
  EXPECT_EQ((adjoint - adjoint.transpose()).norm(), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, LinalgTest, testing::Values(1, 5, 64, 65, 150, 256, 300, 600));

TEST(QuadraticForms, AreThoseOfEachMatrixAndColumn) {
  for (const Index M : {1, 3, 4, 10, 33}) {
    const Mat<double> A = Random(8, Purpose::kTest).normals<double>(M, 5);
    Mat<double> G(M, 2 * M);
    G << positive_definite(M, 9), positive_definite(M, 10);
    const Mat<double> forms = quadratic_forms<double>(G, A);
    for (Index c = 0; c < 2; ++c)
      for (Index j = 0; j < 5; ++j) {
        const double expected = A.col(j).dot(G.middleCols(c * M, M) * A.col(j));
        EXPECT_NEAR(forms(c, j), expected, 1e-12 * expected) << M;
      }
  }
}

TEST(Cholesky, HasTheSameBitsWhateverTheNumberOfThreads) {
  const Mat<double> K = positive_definite(700, 7);
  Mat<double> first;
  with_threads(1, [&] { first = cholesky<double>(K, 0, "K"); });
  for (const int threads : {2, 3, 8})
    with_threads(threads, [&] { EXPECT_EQ(cholesky<double>(K, 0, "K"), first) << threads; });
}

TEST(Cholesky, RaisesTheJitterTenfoldAsOftenAsNeededThreeTimesAtMost) {
  Mat<double> K = Mat<double>::Ones(3, 3);  // of rank one
  K(0, 0) -= 1e-7;                          // and then not even that
  double used = 0;
  const Mat<double> L = cholesky<double>(K, 1e-9, "K", &used);
  EXPECT_NEAR(used, 1e-7, 1e-20);
  EXPECT_TRUE(L.allFinite());
}

TEST(Cholesky, SaysWhichMatrixItCouldNotFactorise) {
  const Mat<double> K = -Mat<double>::Identity(2, 2);
  try {
    cholesky<double>(K, 1e-6, "the kernel matrix at task 3");
    FAIL();
  } catch (const NumericalError& e) {
    EXPECT_STREQ(e.what(),
                 "the kernel matrix at task 3 (2 x 2) is not positive definite, even with a jitter "
                 "of 0.001");
  }
}

}  // namespace
}  // namespace vargp
