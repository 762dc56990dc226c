#include "vargp/core/sparse.h"

#include <gtest/gtest.h>

#include "vargp/core/random.h"

namespace vargp {
namespace {

template <class S>
Mat<S> random(Index rows, Index cols, std::uint64_t seed) {
  return Random(seed, Purpose::kTest).normals<S>(rows, cols);
}

template <class S>
Mat<S> mostly_zero(Index rows, Index cols, std::uint64_t seed) {
  const Mat<S> values = random<S>(rows, cols, seed);
  return (random<S>(rows, cols, seed + 1).array() > S(1)).select(values, S(0));
}

TEST(Sparse, HasTheEntriesThatItsHeaderNames) {
  const Mat<double> A{{1, 0}, {2, 3}};
  const Sparse<double> s = sparse<double>(A);
  EXPECT_EQ(s.rows, 2);
  EXPECT_EQ(s.start, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(s.row, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(s.value, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(zeros<double>(A), 1);
}

TEST(Sparse, TransposedTwiceIsTheSame) {
  const Sparse<double> A = sparse<double>(mostly_zero<double>(7, 12, 1));
  const Sparse<double> B = transposed(transposed(A));
  EXPECT_EQ(B.rows, A.rows);
  EXPECT_EQ(B.start, A.start);
  EXPECT_EQ(B.row, A.row);
  EXPECT_EQ(B.value, A.value);
}

// Rows below, at and above whole lanes and whole blocks of them.
template <class S>
void expect_the_product(Index rows, double tolerance) {
  const Mat<S> A = random<S>(rows, 30, 1), B = mostly_zero<S>(30, 11, 2);
  const Mat<S> product = A * B;
  EXPECT_LE((multiply<S>(A, sparse<S>(B)) - product).norm(), tolerance * product.norm()) << rows;
  EXPECT_LE((multiply<S>(A, transposed(sparse<S>(B.transpose()))) - product).norm(),
            tolerance * product.norm())
      << rows;
}

TEST(Sparse, ProductsAreThoseWithTheWholeMatrix) {
  for (const Index rows : {1, 2, 15, 16, 17, 33, 63, 64, 127, 128, 129, 300}) {
    expect_the_product<float>(rows, 1e-6);
    expect_the_product<double>(rows, 1e-14);
  }
}

// More columns of A than are gone through at once.
TEST(Sparse, ProductsOfManyInputs) {
  const Mat<double> A = random<double>(21, 500, 1), B = mostly_zero<double>(500, 7, 2);
  const Mat<double> product = A * B;
  EXPECT_LE((multiply<double>(A, sparse<double>(B)) - product).norm(), 1e-14 * product.norm());
}

TEST(Sparse, WeightedSquaresOfColumnsWithAnyNumberOfEntries) {
  Mat<double> A = random<double>(40, 30, 1);
  for (Index j = 0; j < A.cols(); ++j) A.col(j).tail(40 - j).setZero();
  const Vec<double> w = random<double>(40, 1, 2);
  const Vec<double> expected = A.cwiseAbs2().transpose() * w;
  EXPECT_LT((weighted_squares<double>(w, sparse<double>(A)) - expected).norm(), 1e-13);
}

TEST(Sparse, NothingButZeros) {
  const Mat<double> Z = Mat<double>::Zero(3, 4);
  EXPECT_EQ(multiply<double>(random<double>(5, 3, 1), sparse<double>(Z)).norm(), 0);
  EXPECT_EQ(zeros<double>(Z), 12);
  EXPECT_EQ(multiply<double>(Mat<double>::Zero(0, 3), sparse<double>(Z)).rows(), 0);
}

}  // namespace
}  // namespace vargp
