#include "vargp/data/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "vargp/core/error.h"

namespace vargp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Dataset three_points() {
  Dataset data;
  data.X.resize(3, 2);
  data.X << 0, 1, 10, 11, 20, 21;
  data.y = {0, 1, 2};
  data.C = 3;
  return data;
}

TEST(Dataset, SelectTakesRowsInTheOrderNamed) {
  const Dataset data = select(three_points(), std::vector<Index>{2, 0, 0});
  RowMat<float> expected(3, 2);
  expected << 20, 21, 0, 1, 0, 1;
  EXPECT_EQ(data.X, expected);
  EXPECT_THAT(data.y, ElementsAre(2, 0, 0));
  EXPECT_EQ(data.C, 3);
}

TEST(Dataset, SelectPermutesColumns) {
  const Dataset data = select(three_points(), std::vector<Index>{1}, std::vector<Index>{1, 0});
  EXPECT_EQ(data.X(0, 0), 11);
  EXPECT_EQ(data.X(0, 1), 10);
}

TEST(Dataset, ConcatenateUndoesSelect) {
  const Dataset all = three_points();
  const Dataset parts[] = {select(all, std::vector<Index>{0}), select(all, std::vector<Index>{}),
                           select(all, std::vector<Index>{1, 2})};
  const Dataset joined = concatenate(parts);
  EXPECT_EQ(joined.X, all.X);
  EXPECT_EQ(joined.y, all.y);
}

TEST(Dataset, ConcatenateRefusesOtherColumns) {
  Dataset narrow = three_points();
  narrow.X = RowMat<float>::Zero(3, 1);
  const Dataset parts[] = {three_points(), narrow};
  EXPECT_THAT([&] { concatenate(parts); }, ThrowsMessage<Error>(HasSubstr("2 columns")));
}

TEST(Dataset, CheckAcceptsGoodData) { EXPECT_NO_THROW(check(three_points(), "points")); }

TEST(Dataset, CheckNamesRowAndColumnOfWhatIsNotFinite) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Dataset data = three_points();
    data.X(1, 0) = bad;
    EXPECT_THAT([&] { check(data, "points"); },
                ThrowsMessage<Error>(HasSubstr("points, row 1, column 0")));
  }
}

TEST(Dataset, CheckNamesTheLabelThatIsNoClass) {
  Dataset data = three_points();
  data.y[2] = 3;
  EXPECT_THAT([&] { check(data, "points"); },
              ThrowsMessage<Error>(HasSubstr("row 2: class 3, expected 0 to 2")));
}

TEST(Dataset, CheckComparesPointsAndLabels) {
  Dataset data = three_points();
  data.y.pop_back();
  EXPECT_THAT([&] { check(data, "points"); }, ThrowsMessage<Error>(HasSubstr("3 points but 2")));
}

}  // namespace
}  // namespace vargp
