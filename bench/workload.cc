#include "bench/workload.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "vargp/baselines/make_baseline.h"
#include "vargp/core/random.h"
#include "vargp/likelihoods/softmax.h"
#include "vargp/models/model.h"

namespace vargp {
namespace {

using Clock = std::chrono::steady_clock;

Mat<float> images(Index rows, Index dims, Index lane) {
  return Random(1, Purpose::kTest, 0, 0, lane).normals<float>(rows, dims).cwiseAbs().cwiseMin(1.0F);
}

// The same with zeros among the entries.
Mat<float> images(Index rows, Index dims, Index lane, double zeros) {
  Mat<float> X = images(rows, dims, lane);
  Random random(6, Purpose::kTest, 0, 0, lane);
  for (float& x : X.reshaped())
    if (random.uniform() < zeros) x = 0;
  return X;
}

std::vector<InducingBlock<float>> random_blocks(const Sizes& s, Index count) {
  std::vector<InducingBlock<float>> blocks;
  for (Index t = 0; t < count; ++t) {
    InducingBlock<float> block;
    for (Index g = 0; g < (s.shared ? 1 : s.classes); ++g)
      block.Z.push_back(images(s.inducing, s.dims, 1 + t * s.classes + g));
    block.m = Random(2, Purpose::kTest, t).normals<float>(s.inducing, s.classes);
    for (Index c = 0; c < s.classes; ++c)
      block.Ls.emplace_back(0.5F * Mat<float>::Identity(s.inducing, s.inducing));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

Options options_of(const Sizes& s) {
  Options o;
  o.model = ModelKind::kVarGp;
  o.likelihood = LikelihoodKind::kSoftmax;
  o.inference = Inference::kGradient;
  o.rule = UpdateRule::kYogi;
  o.hyper = HyperTreatment::kPosterior;
  o.ard = true;
  o.learn_inducing = true;
  o.start = InducingStart::kRandomRows;
  o.shared = s.shared;
  o.inducing = s.inducing;
  o.lengthscale = 8;
  o.theta_samples = s.theta_samples;
  o.function_samples = s.function_samples;
  o.batch = s.batch;
  o.learning_rate = 0.003;
  return o;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::vector<double> time_training_steps(const Sizes& s, int repeats) {
  const Options o = options_of(s);
  const auto frozen = random_blocks(s, s.tasks - 1);
  const RowMat<float> X = images(4 * s.batch, s.dims, 999, s.zeros);
  Mat<float> Y = Mat<float>::Zero(s.classes, X.rows());
  for (Index i = 0; i < X.rows(); ++i) Y(i % s.classes, i) = 1;
  const Carried<float> start = first_start(X, o);
  HyperPosterior<float> prior = start.hyper;
  TaskLearner<float> learner(o, s.tasks - 1, frozen, start, prior, X, Y);
  const auto order = Random(3, Purpose::kTest).permutation(X.rows());
  std::vector<double> seconds;
  for (int i = 0; i <= repeats; ++i) {
    const auto clock = Clock::now();
    learner.step(order.data() + (i % 4) * s.batch, s.batch);
    if (i > 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - clock).count());
  }
  return seconds;
}

std::vector<double> time_network_epochs(BaselineKind kind, Index N, Index batch, int threads,
                                        int repeats) {
  BaselineOptions o;
  o.model = kind;
  o.batch = batch;
  o.epochs = 1;
  Dataset data;
  data.X = images(N, 784, 997);
  data.C = 10;
  for (Index i = 0; i < N; ++i) data.y.push_back(static_cast<int>(i % 10));
  const auto learner = make_baseline(o, 784, 10, threads);
  std::vector<double> seconds;
  for (int i = 0; i <= repeats; ++i) {
    const double s = learner->learn(data, empty_like(data), {}).seconds;
    if (i > 0) seconds.push_back(s);
  }
  return seconds;
}

std::vector<double> time_predictions(const Sizes& s, Index rows, int repeats) {
  std::vector<Mat<float>> thetas;
  for (Index i = 0; i < s.theta_samples; ++i) {
    Mat<float> theta = Mat<float>::Constant(s.dims + 1, 1, static_cast<float>(std::log(8.0)));
    theta += 0.1F * Random(4, Purpose::kTest, i).normals<float>(s.dims + 1, 1);
    thetas.push_back(std::move(theta));
  }
  const Groups groups{s.shared, s.classes};
  const RowMat<float> X = images(rows, s.dims, 998, s.zeros);
  Noise<float> noise;
  for (Index f = 0; f < s.function_samples; ++f)
    noise.push_back(Random(5, Purpose::kTest, f).normals<float>(s.classes, 1));
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const auto clock = Clock::now();
    // The factors of K belong to prediction: the peer computes them too.
    const ChainPredictor<float> predictor(random_blocks(s, s.tasks), groups, thetas, {},
                                          Structure::kAutoRegressive, 1e-5);
    Mat<float> probability(s.classes, rows);
    for_each_chunk<float>(X, [&](const Mat<float>& chunk, Index first, Index count) {
      std::vector<Mat<float>> mean, var;
      predictor.latent(chunk, mean, var);
      Mat<float> p = Mat<float>::Zero(s.classes, chunk.rows());
      for (std::size_t k = 0; k < mean.size(); ++k)
        p += softmax_probabilities<float>(mean[k], var[k], noise);
      probability.middleCols(first, count) = p.leftCols(count);
    });
    seconds.push_back(std::chrono::duration<double>(Clock::now() - clock).count());
  }
  return seconds;
}

double step_operations(const Sizes& s) {
  const auto B = static_cast<double>(s.batch), D = static_cast<double>(s.dims);
  const auto M = static_cast<double>(s.inducing), n = M * static_cast<double>(s.tasks);
  const double units =
      static_cast<double>(s.theta_samples) * (s.shared ? 1.0 : static_cast<double>(s.classes));
  const double outputs = s.shared ? static_cast<double>(s.classes) : 1;  // of one unit
  const double cross = 2 * (2 * n * B * D);                 // K(Z, X), and H X of its adjoint
  const double square = n * n * D + 2 * n * n * D;          // K(Z, Z), symmetric, and H Z
  const double factor = n * n * n / 3 + 2 * n * n * n / 3;  // Cholesky and its adjoint
  const double solve = n * n * B + n * n * B + n * n * B;   // W, L^-T dW, and dL
  const double R = outputs * n * M * M * (3 + 4);           // L_jj^-1 Ls_j, R R', their adjoints
  const double variance = outputs * 2 * (2 * n * M * B);    // G W, which serves dW, and dG
  const double mean = outputs * 3 * (2 * n * B);
  return units * (cross + square + factor + solve + R + variance + mean);
}

}  // namespace vargp
