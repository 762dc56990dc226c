#include "vargp/train/stopping.h"

#include <gtest/gtest.h>

namespace vargp {
namespace {

TEST(EarlyStopping, StopsWhenTheScoreIsWhereItWasKEpochsAgo) {
  EarlyStopping stopping(2, 0.01);
  EXPECT_FALSE(stopping.stop_after(0.5));
  EXPECT_FALSE(stopping.stop_after(0.9));
  EXPECT_FALSE(stopping.stop_after(0.6));
  EXPECT_TRUE(stopping.stop_after(0.905));
}

TEST(EarlyStopping, KeepingTheBestStopsKEpochsAfterIt) {
  EarlyStopping stopping(2, 0.01, true);
  EXPECT_FALSE(stopping.stop_after(0.5));
  EXPECT_FALSE(stopping.stop_after(0.9));
  EXPECT_FALSE(stopping.stop_after(0.905));  // not better by more than the tolerance
  EXPECT_EQ(stopping.best_epoch(), 2);
  EXPECT_TRUE(stopping.stop_after(0.7));
  EXPECT_EQ(stopping.best_epoch(), 2);
}

}  // namespace
}  // namespace vargp
