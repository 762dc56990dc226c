#include "vargp/core/normals.h"

#include <gtest/gtest.h>

namespace vargp {
namespace {

TEST(Normals, FastOnesAreStandardNormal) {
  Random r(1, Purpose::kTest);
  const Mat<float> x = fast_normals<float>(r, 301, 333);  // an odd number of them
  const auto n = static_cast<double>(x.size());
  const Eigen::ArrayXXd a = x.cast<double>().array();
  EXPECT_NEAR(a.mean(), 0, 4 / std::sqrt(n));
  EXPECT_NEAR(a.square().mean(), 1, 4 * std::sqrt(2 / n));
  EXPECT_NEAR(a.cube().mean(), 0, 4 * std::sqrt(15 / n));
  EXPECT_NEAR(a.pow(4).mean(), 3, 4 * std::sqrt(96 / n));
  EXPECT_NEAR((a.abs() < 1).cast<double>().mean(), 0.6827, 0.006);
}

}  // namespace
}  // namespace vargp
