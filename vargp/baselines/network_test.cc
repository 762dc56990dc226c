#include "vargp/baselines/network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vargp/autodiff/gradcheck.h"

namespace vargp {
namespace {

using Vars = std::vector<Var<double>>;

Mat<double> random(Index rows, Index cols, std::uint64_t seed) {
  return Random(seed, Purpose::kTest).normals<double>(rows, cols);
}

Dataset points(Index N, Index D, int C) {
  Dataset data;
  Random r(5, Purpose::kTest);
  data.X = r.normals<float>(N, D);
  for (Index i = 0; i < N; ++i) data.y.push_back(static_cast<int>(r.below(C)));
  data.C = C;
  return data;
}

TEST(Network, NllOfABatchHasTheRightGradientsInAllLayers) {
  const Dataset data = points(2 * kNetworkChunk + 7, 2, 3);
  NetworkBatch<double> batch;
  std::vector<Index> rows;
  for (Index i = 0; i < data.size(); ++i) rows.push_back(i);
  batch.add(data, rows.data(), data.size(), {0, 1, 2});
  ASSERT_EQ(batch.X.size(), 3u);
  expect_gradients({random(4, 3, 1), random(3, 5, 2)},
                   [&](Tape<double>& tape, const Vars& W) { return mean_nll(tape, W, batch); });
  std::vector<std::vector<Mat<double>>> noise;
  Random r(3, Purpose::kTest);
  for (const auto& X : batch.X)
    noise.push_back({r.normals<double>(4, X.cols()), r.normals<double>(3, X.cols())});
  expect_gradients(
      {random(4, 3, 1), random(3, 5, 2), random(4, 3, 3).cwiseAbs(), random(3, 5, 4).cwiseAbs()},
      [&](Tape<double>& tape, const Vars& v) {
        return mean_nll(tape, {v[0], v[1]}, {v[2], v[3]}, batch, noise);
      });
}

// Networks drawn weight by weight, and drawn layer by layer.
TEST(Network, LocalReparametrisationHasTheMomentsOfDrawnWeights) {
  const Mat<double> mean1 = random(4, 3, 1), mean2 = random(2, 5, 2);
  const Mat<double> var1 = 0.3 * random(4, 3, 3).cwiseAbs(),
                    var2 = 0.3 * random(2, 5, 4).cwiseAbs();
  const Mat<double> x = random(2, 1, 5);
  constexpr Index kDraws = 200000;
  Random r(6, Purpose::kTest);
  Eigen::Vector2d sum[2] = {{0, 0}, {0, 0}}, squares[2] = {{0, 0}, {0, 0}};
  const auto count = [&](int way, const Mat<double>& f) {
    sum[way] += f.col(0);
    squares[way] += f.col(0).cwiseAbs2();
  };
  for (Index s = 0; s < kDraws; ++s) {
    Tape<double> tape;
    const auto drawn = [&](const Mat<double>& mean, const Mat<double>& var) {
      return tape.constant(
          mean + var.cwiseSqrt().cwiseProduct(r.normals<double>(mean.rows(), mean.cols())));
    };
    count(0, network<double>({drawn(mean1, var1), drawn(mean2, var2)}, tape.constant(x)).value());
    count(1, drawn_network<double>({tape.constant_ref(mean1), tape.constant_ref(mean2)},
                                   {tape.constant_ref(var1), tape.constant_ref(var2)},
                                   tape.constant(x),
                                   {r.normals<double>(4, 1), r.normals<double>(2, 1)})
                 .value());
  }
  for (Index c = 0; c < 2; ++c) {
    double mean[2], var[2];
    for (int way = 0; way < 2; ++way) {
      mean[way] = sum[way](c) / kDraws;
      var[way] = squares[way](c) / kDraws - mean[way] * mean[way];
    }
    EXPECT_NEAR(mean[1], mean[0], 5 * std::sqrt(2 * var[0] / kDraws));
    EXPECT_NEAR(var[1] / var[0], 1, 0.03);
  }
}

}  // namespace
}  // namespace vargp
