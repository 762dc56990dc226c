#include "vargp/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace vargp {
namespace {

TEST(Random, AStreamIsNamedByItsKeyAlone) {
  Random a(7, Purpose::kTest, 2, 3), b(7, Purpose::kTest, 2, 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.bits(), b.bits());
}

TEST(Random, SeedPurposeTaskStepAndLaneGiveDifferentStreams) {
  const std::set<std::uint32_t> first = {
      Random(1, Purpose::kTest).bits(),       Random(2, Purpose::kTest).bits(),
      Random(1, Purpose::kData).bits(),       Random(1, Purpose::kTest, 1).bits(),
      Random(1, Purpose::kTest, 0, 1).bits(), Random(1, Purpose::kTest, 0, 0, 1).bits()};
  EXPECT_EQ(first.size(), 6u);
}

TEST(Random, NormalsHaveTheMomentsOfANormal) {
  Random random(3, Purpose::kTest);
  const Mat<double> x = random.normals<double>(1000, 200);
  const double n = static_cast<double>(x.size());
  EXPECT_NEAR(x.mean(), 0, 4 / std::sqrt(n));
  EXPECT_NEAR(x.squaredNorm() / n, 1, 4 * std::sqrt(2 / n));
  EXPECT_NEAR(x.array().pow(4).mean(), 3, 4 * std::sqrt(96 / n));
}

TEST(Random, BelowIsUniform) {
  Random random(4, Purpose::kTest);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts[static_cast<std::size_t>(random.below(7))];
  for (const int c : counts) EXPECT_NEAR(c, 10000, 400);
}

TEST(Random, APermutationHasEveryNumberOnce) {
  auto order = Random(5, Purpose::kTest).permutation(1000);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (Index i = 0; i < 1000; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace vargp
