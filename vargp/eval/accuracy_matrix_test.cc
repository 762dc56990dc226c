#include "vargp/eval/accuracy_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vargp/core/error.h"

namespace vargp {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(AccuracyMatrix, HasTheValuesOfTheHeader) {
  AccuracyMatrix R({10, 30}, {0.1, 0.05});
  R.add_row(std::vector{0.9, 0.1});
  R.add_row(std::vector{0.7, 0.8});
  EXPECT_NEAR(R.final_accuracy(), 0.775, 1e-15);
  EXPECT_NEAR(R.mean_task_accuracy(), 0.75, 1e-15);
  EXPECT_NEAR(R.forgetting(), 0.2, 1e-15);
  EXPECT_NEAR(R.backward_transfer(), -0.2, 1e-15);
  EXPECT_NEAR(R.forward_transfer(), 0.05, 1e-15);
}

TEST(AccuracyMatrix, CountsOnlyTasksLearnedSoFar) {
  AccuracyMatrix R({10, 10, 10});
  R.add_row(std::vector{1.0, 0.2, 0.0});
  EXPECT_EQ(R.final_accuracy(), 1);
  EXPECT_EQ(R.mean_task_accuracy(), 1);
  EXPECT_EQ(R.forgetting(), 0);
  EXPECT_EQ(R.forward_transfer(), 0);
  R.add_row(std::vector{0.5, 1.0, 0.0});
  EXPECT_EQ(R.final_accuracy(), 0.75);
  EXPECT_EQ(R.forgetting(), 0.5);
  EXPECT_EQ(R.forward_transfer(), 0.2);
}

TEST(AccuracyMatrix, ForgettingComparesWithTheMomentOfLearning) {
  AccuracyMatrix R({1, 1, 1});
  R.add_row(std::vector{0.8, 0.0, 0.0});
  R.add_row(std::vector{1.0, 0.5, 0.0});  // better than when learned: not what is compared with
  R.add_row(std::vector{0.6, 0.7, 0.9});
  EXPECT_NEAR(R.forgetting(0), 0.2, 1e-15);
  EXPECT_NEAR(R.forgetting(1), -0.2, 1e-15);
  EXPECT_NEAR(R.forgetting(), 0, 1e-15);
}

TEST(AccuracyMatrix, RefusesRowsThatDoNotFit) {
  AccuracyMatrix R({10, 30});
  EXPECT_THAT([&] { R.add_row(std::vector{0.9}); }, ThrowsMessage<Error>(HasSubstr("expected 2")));
  EXPECT_THAT(
      [&] {
        R.add_row(std::vector{0.9, 97.0});
      },
      ThrowsMessage<Error>(HasSubstr("accuracy 97, expected 0 to 1")));
  R.add_row(std::vector{0.9, 0.1});
  R.add_row(std::vector{0.9, 0.1});
  EXPECT_THAT(
      [&] {
        R.add_row(std::vector{0.9, 0.1});
      },
      ThrowsMessage<Error>(HasSubstr("all 2 tasks")));
  EXPECT_THAT([] { AccuracyMatrix({1, 0}); }, ThrowsMessage<Error>(HasSubstr("task 1 has 0")));
  EXPECT_THAT(
      [] {
        AccuracyMatrix({1, 1}, {0.5});
      },
      ThrowsMessage<Error>(HasSubstr("1 accuracies before learning")));
}

}  // namespace
}  // namespace vargp
