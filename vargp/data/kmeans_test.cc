#include "vargp/data/kmeans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "vargp/core/error.h"
#include "vargp/core/parallel.h"

namespace vargp {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::ThrowsMessage;

Random fresh(std::uint32_t step = 0) { return Random(11, Purpose::kTest, 0, step); }

Clusters run(const RowMat<float>& X, Index M, const KMeansOptions& options = {}) {
  Random random = fresh();
  return kmeans(X, M, random, options);
}

// N points around `clusters` places that are far apart; point i belongs to place i mod clusters.
RowMat<float> blobs(Index N, Index D, Index clusters, float spread) {
  Random random = fresh(1);
  const RowMat<float> places = random.normals<float>(clusters, D) * 10;
  RowMat<float> X = random.normals<float>(N, D) * spread;
  for (Index i = 0; i < N; ++i) X.row(i) += places.row(i % clusters);
  return X;
}

double inertia(const RowMat<float>& X, const RowMat<float>& centres) {
  double sum = 0;
  for (Index i = 0; i < X.rows(); ++i)
    sum += static_cast<double>((centres.rowwise() - X.row(i)).rowwise().squaredNorm().minCoeff());
  return sum;
}

Index total(const std::vector<Index>& counts) {
  return std::accumulate(counts.begin(), counts.end(), Index{0});
}

TEST(KMeans, FindsClustersThatAreFarApart) {
  for (const Index D : {2, 100}) {
    const RowMat<float> X = blobs(3000, D, 6, 0.01f);
    const Clusters clusters = run(X, 6);
    ASSERT_EQ(clusters.centres.rows(), 6) << D;
    EXPECT_THAT(clusters.counts, Each(500)) << D;
    EXPECT_LT(clusters.inertia, 3000 * static_cast<double>(D) * 1.1e-4) << D;
  }
}

TEST(KMeans, CentresAreTheAveragesOfTheirPoints) {
  RowMat<float> X(4, 1);
  X << 0, 2, 10, 14;
  Clusters clusters = run(X, 2);
  std::sort(clusters.centres.data(), clusters.centres.data() + 2);
  EXPECT_EQ(clusters.centres(0, 0), 1);
  EXPECT_EQ(clusters.centres(1, 0), 12);
  EXPECT_THAT(clusters.counts, ElementsAre(2, 2));
  EXPECT_DOUBLE_EQ(clusters.inertia, 1 + 1 + 4 + 4);
}

TEST(KMeans, OneCentreIsTheMean) {
  const RowMat<float> X = blobs(1000, 80, 3, 1);
  const Clusters clusters = run(X, 1);
  const Eigen::RowVectorXf mean = X.colwise().mean();
  EXPECT_LT((clusters.centres.row(0) - mean).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(KMeans, InertiaIsThatOfThePointsAboutTheirCentres) {
  const RowMat<float> X = blobs(500, 3, 5, 1);
  const Clusters clusters = run(X, 20);
  EXPECT_GE(clusters.inertia, inertia(X, clusters.centres) * (1 - 1e-5));
  EXPECT_LE(clusters.inertia, inertia(X, clusters.centres) * 1.02);
}

TEST(KMeans, ShortcutsCostLittle) {
  const RowMat<float> X = blobs(4000, 150, 40, 4);
  KMeansOptions thorough;
  thorough.directions = 0;
  thorough.sample_per_centre = 0;
  thorough.full_rounds = 50;
  EXPECT_LE(run(X, 50).inertia, run(X, 50, thorough).inertia * 1.05);
}

TEST(KMeans, GivesTheSameBitsWithAnyNumberOfThreads) {
  const RowMat<float> X = blobs(3000, 100, 30, 3);
  const RowMat<float> one = run(X, 60).centres;
  for (const int threads : {1, 2, 3, 8})
    with_threads(threads, [&] { EXPECT_EQ(run(X, 60).centres, one) << threads; });
}

TEST(KMeans, OtherRandomNumbersGiveOtherCentres) {
  const RowMat<float> X = blobs(1000, 10, 3, 3);
  Random other = fresh(2);
  EXPECT_NE(kmeans(X, 20, other).centres, run(X, 20).centres);
}

TEST(KMeans, ACentreForEveryPointGivesThePointsOnce) {
  RowMat<float> X(5, 2);
  X << 3, 3, 1, 1, 3, 3, 2, 2, 1, 1;
  const Clusters clusters = run(X, 8);
  RowMat<float> expected(3, 2);
  expected << 3, 3, 1, 1, 2, 2;
  EXPECT_EQ(clusters.centres, expected);
  EXPECT_THAT(clusters.counts, ElementsAre(2, 2, 1));
  EXPECT_EQ(clusters.inertia, 0);
}

TEST(KMeans, FewerDistinctPointsThanCentresGiveFewerCentres) {
  RowMat<float> X(1000, 3);
  for (Index i = 0; i < 1000; ++i) X.row(i).setConstant(0.1f * static_cast<float>(i % 7));
  for (const Index M : {7, 8, 100, 999}) {
    const Clusters clusters = run(X, M);
    EXPECT_EQ(clusters.centres.rows(), 7) << M;
    EXPECT_EQ(total(clusters.counts), 1000);
    EXPECT_NEAR(clusters.inertia, 0, 1e-9);
  }
}

TEST(KMeans, AllPointsAlikeGiveOneCentre) {
  const RowMat<float> X = RowMat<float>::Constant(300, 100, 0.3f);
  const Clusters clusters = run(X, 10);
  ASSERT_EQ(clusters.centres.rows(), 1);
  EXPECT_EQ(clusters.centres(0, 0), 0.3f);
}

TEST(KMeans, RarePointsFarAwayAreNotLeftOut) {
  RowMat<float> X = RowMat<float>::Zero(2000, 2);
  X(1234, 0) = 100;
  X(7, 1) = 100;
  const Clusters clusters = run(X, 3);
  EXPECT_EQ(clusters.centres.rows(), 3);
  EXPECT_NEAR(clusters.inertia, 0, 1e-6);
}

TEST(KMeans, NoCentreAveragesFewerThanTheMinimum) {
  const RowMat<float> X = blobs(1003, 20, 9, 2);
  for (const Index minimum : {2, 10, 50, 1003}) {
    KMeansOptions options;
    options.minimum = minimum;
    const Clusters clusters = run(X, 200, options);
    EXPECT_THAT(clusters.counts, Each(Ge(minimum)));
    EXPECT_EQ(total(clusters.counts), 1003);
    EXPECT_GE(clusters.centres.rows(), 1);
  }
  KMeansOptions options;
  options.minimum = 5;
  EXPECT_GE(run(X, 50, options).centres.rows(), 40);
}

TEST(KMeans, HugeAndTinyValuesAreNoTrouble) {
  for (const float scale : {1e15f, 1e-15f}) {
    const RowMat<float> X = scale * blobs(600, 70, 6, 0.01f);
    EXPECT_THAT(run(X, 6).counts, Each(100)) << scale;
  }
}

TEST(KMeans, RefusesWhatItCannotDo) {
  const RowMat<float> X = blobs(10, 2, 2, 1);
  EXPECT_THAT([&] { run(X, 0); }, ThrowsMessage<Error>(HasSubstr("0 centres")));
  EXPECT_THAT([&] { run(RowMat<float>(0, 2), 1); }, ThrowsMessage<Error>(HasSubstr("0 points")));
  KMeansOptions options;
  options.minimum = 11;
  EXPECT_THAT([&] { run(X, 2, options); }, ThrowsMessage<Error>(HasSubstr("minimum is 11")));
  RowMat<float> bad = X;
  bad(3, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT([&] { run(bad, 2); }, ThrowsMessage<Error>(HasSubstr("not finite")));
}

TEST(KMeansPerClass, DealsCentresOutByTheSharesOfTheClasses) {
  const RowMat<float> X = blobs(1000, 4, 10, 1);
  std::vector<int> y(1000, 7);  // 600 of class 7, 390 of class 2, 10 of class 0
  std::fill_n(y.begin(), 390, 2);
  std::fill_n(y.begin() + 390, 10, 0);
  Random random = fresh();
  const Clusters clusters = kmeans_per_class(X, y, 20, random);
  ASSERT_EQ(clusters.centres.rows(), 20);
  EXPECT_TRUE(std::is_sorted(clusters.classes.begin(), clusters.classes.end()));
  EXPECT_EQ(std::count(clusters.classes.begin(), clusters.classes.end(), 0), 1);
  EXPECT_EQ(std::count(clusters.classes.begin(), clusters.classes.end(), 2), 8);
  EXPECT_EQ(std::count(clusters.classes.begin(), clusters.classes.end(), 7), 11);
}

TEST(KMeansPerClass, RefusesFewerCentresThanClasses) {
  const RowMat<float> X = blobs(10, 4, 2, 1);
  const std::vector<int> y = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0};
  Random random = fresh();
  EXPECT_THAT([&] { kmeans_per_class(X, y, 2, random); },
              ThrowsMessage<Error>(HasSubstr("2 centres for 3 classes")));
}

}  // namespace
}  // namespace vargp
