#include "vargp/eval/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "vargp/core/error.h"

namespace vargp {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Metrics, HaveTheValuesOfTheHeader) {
  const Mat<double> P{{0.5, 0.5}, {0.9, 0.1}};
  const Metrics m = metrics(P, std::vector<int>{1, 0});
  EXPECT_EQ(m.N, 2);
  EXPECT_DOUBLE_EQ(m.accuracy, 0.5);
  EXPECT_NEAR(m.nll, 0.39925, 5e-6);
  EXPECT_DOUBLE_EQ(m.probability, 0.7);
  EXPECT_DOUBLE_EQ(m.calibration_error, 0.3);
  EXPECT_NEAR(m.entropy, 0.73450, 5e-6);
}

TEST(Metrics, UniformProbabilitiesHaveEntropyOneAndNllLogC) {
  const Mat<double> P = Mat<double>::Constant(4, 10, 0.1);
  const Metrics m = metrics(P, std::vector<int>{0, 1, 2, 3});
  EXPECT_DOUBLE_EQ(m.entropy, 1);
  EXPECT_DOUBLE_EQ(m.nll, std::log(10.0));
  EXPECT_DOUBLE_EQ(m.accuracy, 0.25);  // the first of equals
}

TEST(Metrics, CertaintyThatIsRightIsPerfect) {
  const Mat<double> P = Mat<double>::Identity(3, 3);
  const Metrics m = metrics(P, std::vector<int>{0, 1, 2});
  EXPECT_EQ(m.accuracy, 1);
  EXPECT_EQ(m.nll, 0);
  EXPECT_EQ(m.calibration_error, 0);
  EXPECT_EQ(m.entropy, 0);
}

TEST(Metrics, CertaintyThatIsWrongIsFinite) {
  const Mat<double> P{{0.0, 1.0}};
  const Metrics m = metrics(P, std::vector<int>{0});
  EXPECT_NEAR(m.nll, 36.04, 0.01);
  EXPECT_EQ(m.calibration_error, 1);
}

TEST(Metrics, CalibrationBinsHoldTheRowsOfTheirConfidence) {
  // Confidences 0.6 (upper edge of bin 8 of 15), 0.61 (bin 9) and 1 (bin 14).
  const Mat<double> P{{0.6, 0.4}, {0.61, 0.39}, {0.39, 0.61}, {0, 1}};
  const auto bins = calibration_bins(P, std::vector<int>{0, 0, 0, 1});
  ASSERT_EQ(bins.size(), 15u);
  EXPECT_EQ(bins[8].count, 1);
  EXPECT_EQ(bins[9].count, 2);
  EXPECT_DOUBLE_EQ(bins[9].confidence, 0.61);
  EXPECT_DOUBLE_EQ(bins[9].accuracy, 0.5);
  EXPECT_EQ(bins[14].count, 1);
  EXPECT_NEAR(calibration_error(bins), (0.4 + 2 * 0.11 + 0) / 4, 1e-15);
}

TEST(Metrics, TakeFloatAndRowMajorProbabilities) {
  const RowMat<float> P{{0.25f, 0.75f}};
  EXPECT_EQ(accuracy(P.cast<double>(), std::vector<int>{1}), 1);
}

TEST(Metrics, RefuseWhatAreNoProbabilities) {
  const std::vector<int> y = {0};
  const auto of = [&](const Mat<double>& P) { return [&y, P] { metrics(P, y); }; };
  EXPECT_THAT(of(Mat<double>{{0.5, 0.2}}), ThrowsMessage<Error>(HasSubstr("sum to 0.7")));
  EXPECT_THAT(of(Mat<double>{{1.5, -0.5}}), ThrowsMessage<Error>(HasSubstr("row 0")));
  EXPECT_THAT(of(Mat<double>{{std::numeric_limits<double>::quiet_NaN(), 0.5}}),
              ThrowsMessage<Error>(HasSubstr("nan")));
  EXPECT_THAT(of(Mat<double>(0, 2)), ThrowsMessage<Error>(HasSubstr("no predictions")));
  EXPECT_THAT(of(Mat<double>{{1, 0}, {1, 0}}), ThrowsMessage<Error>(HasSubstr("but 1 labels")));
}

TEST(Metrics, RefuseLabelsThatAreNoClass) {
  const Mat<double> P{{0.5, 0.5}};
  EXPECT_THAT([&] { metrics(P, std::vector<int>{2}); },
              ThrowsMessage<Error>(HasSubstr("class 2, expected 0 to 1")));
}

TEST(Metrics, OfTwoPartsMergedAreThoseOfTheWhole) {
  Mat<double> P(5, 2);
  P << 0.5, 0.5, 0.9, 0.1, 0.3, 0.7, 0.92, 0.08, 0.45, 0.55;
  const std::vector<int> y = {1, 0, 1, 1, 0};
  const Metrics whole = metrics(P, y);
  const Metrics parts = merged(metrics(P.topRows(2), std::span(y).first(2)),
                               metrics(P.bottomRows(3), std::span(y).last(3)));
  EXPECT_EQ(parts.N, 5);
  EXPECT_NEAR(parts.accuracy, whole.accuracy, 1e-15);
  EXPECT_NEAR(parts.nll, whole.nll, 1e-15);
  EXPECT_NEAR(parts.entropy, whole.entropy, 1e-15);
  EXPECT_NEAR(parts.calibration_error, whole.calibration_error, 1e-15);
}

}  // namespace
}  // namespace vargp
