#include "vargp/data/toy.h"

#include <gtest/gtest.h>

#include <vector>

namespace vargp {
namespace {

TEST(Toy, HasFiftyPointsOfEachOfFourClasses) {
  const Dataset data = toy(1);
  ASSERT_EQ(data.X.rows(), 200);
  ASSERT_EQ(data.X.cols(), 2);
  EXPECT_EQ(data.C, 4);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(std::count(data.y.begin(), data.y.end(), k), 50);
}

TEST(Toy, HasThePapersMeansAndCovariances) {
  const Index n = 40'000;
  const Dataset data = toy(3, n, ToySet::kTest);
  const Eigen::RowVector2d means[] = {{0.3, 0.5}, {0, -1.2}, {2, 0}, {-1, 0.5}};
  const Eigen::Matrix2d covariances[] = {
      Eigen::Matrix2d{{0.16, 0}, {0, 0.16}}, Eigen::Matrix2d{{0.36, 0}, {0, 0.01}},
      Eigen::Matrix2d{{0.01, 0}, {0, 0.36}}, Eigen::Matrix2d{{0.2, 0.1}, {0.1, 0.1}}};
  for (int k = 0; k < 4; ++k) {
    const Mat<double> X = data.X.middleRows(k * n, n).cast<double>();
    const Eigen::RowVector2d mean = X.colwise().mean();
    const Mat<double> centred = X.rowwise() - mean;
    const Eigen::Matrix2d covariance = centred.transpose() * centred / static_cast<double>(n);
    EXPECT_LT((mean - means[k]).cwiseAbs().maxCoeff(), 0.015) << "class " << k;
    EXPECT_LT((covariance - covariances[k]).cwiseAbs().maxCoeff(), 0.01) << "class " << k;
  }
}

TEST(Toy, IsFixedByTheSeed) {
  EXPECT_EQ(toy(5).X, toy(5).X);
  EXPECT_NE(toy(5).X, toy(6).X);
  EXPECT_NE(toy(5).X, toy(5, 50, ToySet::kTest).X);
}

TEST(Toy, MorePointsBeginWithTheSamePoints) {
  EXPECT_EQ(toy(5, 80).X.middleRows(80, 50), toy(5, 50).X.middleRows(50, 50));
}

}  // namespace
}  // namespace vargp
