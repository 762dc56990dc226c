#include "vargp/baselines/vcl.h"

#include <cmath>
#include <numeric>

#include "vargp/autodiff/ops.h"
#include "vargp/baselines/fit.h"
#include "vargp/core/normals.h"
#include "vargp/core/parallel.h"
#include "vargp/eval/metrics.h"
#include "vargp/likelihoods/softmax.h"
#include "vargp/models/model.h"
#include "vargp/optim/optimizer.h"

namespace vargp {
namespace {

std::vector<int> all_classes(int C) {
  std::vector<int> out(static_cast<std::size_t>(C));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// Marginals of a layer's z given its inputs.
void layer_moments(const Mat<float>& mean, const Mat<float>& var, const Mat<float>& A,
                   Mat<float>& m, Mat<float>& v) {
  const Index in = A.rows();
  m.noalias() = mean.leftCols(in) * A;
  m.colwise() += mean.col(in);
  v.noalias() = var.leftCols(in) * A.cwiseAbs2();
  v.colwise() += var.col(in);
}

}  // namespace

// q while it is learned from data, with `prior` behind it.
struct Vcl::Moving {
  const BaselineOptions& o;
  const Dataset& train;
  std::vector<int> classes;
  const GaussianWeights& prior;
  Index stream;   // of the noise
  Index steps;    // in all, each shorter than the last by the same amount; 0: all of full length
  double weight;  // each row counts so many times
  GaussianWeights q;
  Optimizer<float> means, variances;
  double kl = 0;

  double step(const Index* rows, Index count, Index step) {
    NetworkBatch<float> batch;
    batch.add(train, rows, count, classes);
    std::vector<std::vector<Mat<float>>> noise(batch.X.size());
    parallel_for(std::ssize(batch.X), [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      Random random(o.seed, Purpose::kWeightNoise, stream, step, i);
      for (const Mat<float>& layer : q.mean)
        noise[k].push_back(fast_normals<float>(random, layer.rows(), batch.X[k].cols()));
    });
    Tape<float> tape;
    std::vector<Var<float>> mean, logvar, var, kls;
    std::vector<Mat<float>*> moved_means, moved_variances;
    for (std::size_t l = 0; l < q.mean.size(); ++l) {
      mean.push_back(tape.variable(q.mean[l]));
      logvar.push_back(tape.variable(q.logvar[l]));
      var.push_back(exp(logvar[l]));
      kls.push_back(kl_diagonal(mean[l], logvar[l], prior.mean[l], prior.logvar[l]));
      moved_means.push_back(&q.mean[l]);
      moved_variances.push_back(&q.logvar[l]);
    }
    const Var<float> total = sum(kls);
    const Var<float> loss =
        add(mean_nll(tape, mean, var, batch, noise),
            scale(total, static_cast<float>(1 / (weight * static_cast<double>(train.size())))));
    tape.backward(loss);
    Weights<float> d_mean, d_logvar;
    for (std::size_t l = 0; l < q.mean.size(); ++l) {
      d_mean.push_back(mean[l].grad());
      d_logvar.push_back(logvar[l].grad());
    }
    const double rate = steps == 0 ? 1 : 1 - static_cast<double>(step) / static_cast<double>(steps);
    if (o.whitened) {
      // The step of Adam on (mean - prior's mean) / prior's deviation.
      const Weights<float> before = q.mean;
      means.step(moved_means, d_mean, rate);
      for (std::size_t l = 0; l < q.mean.size(); ++l)
        q.mean[l] = before[l].array() +
                    (0.5F * prior.logvar[l].array()).exp() * (q.mean[l] - before[l]).array();
    } else {
      means.step(moved_means, d_mean, rate);
    }
    variances.step(moved_variances, d_logvar, rate);
    kl = static_cast<double>(total.value()(0));
    return static_cast<double>(loss.value()(0));
  }

  template <class Archive>
  void fields(Archive& a) {
    a("q", q);
    a("means", means);
    a("variances", variances);
    a("kl", kl);
  }
};

Vcl::Vcl(const BaselineOptions& options, Index D, int C, int threads)
    : o_(options), C_(C), threads_(threads), D_(D) {
  o_.validate();
  Index in = D;
  auto widths = o_.hidden;
  widths.push_back(C);
  for (const Index out : widths) {
    q_.mean.push_back(
        start_layer<float>(in, out, Random(o_.seed, Purpose::kWeights, 0, std::ssize(q_.mean))));
    q_.logvar.push_back(
        Mat<float>::Constant(out, in + 1, static_cast<float>(std::log(o_.initial_variance))));
    in = out;
  }
}

LearnReport Vcl::learn(const Dataset& train, const Dataset& validation, const LearnHooks& hooks) {
  LearnReport report;
  with_threads(threads_, [&] {
    const Index N = train.size();
    const auto kept = choose_rows(train.X, std::min(o_.coreset, N - 1), o_.coreset_choice,
                                  Random(o_.seed, Purpose::kKeptRows, tasks_));
    std::vector<KeptRows> coresets = coresets_;
    if (!kept.empty()) coresets.push_back(keep(train, kept));
    const Dataset rest = kept.empty() ? Dataset{} : select(train, all_but(kept, N));
    const Dataset& learned = kept.empty() ? train : rest;

    GaussianWeights prior = q_;
    if (tasks_ == 0)
      for (std::size_t l = 0; l < prior.mean.size(); ++l) {
        prior.mean[l].setZero();
        prior.logvar[l].setConstant(static_cast<float>(std::log(o_.prior_variance)));
      }
    const auto moving_from = [&](const GaussianWeights& start, const GaussianWeights& before,
                                 const Dataset& data, Index stream, Index steps, double weight) {
      return Moving{o_,
                    data,
                    all_classes(C_),
                    before,
                    stream,
                    steps,
                    weight,
                    start,
                    Optimizer<float>({Rule::kAdam, o_.learning_rate}),
                    Optimizer<float>({Rule::kAdam, o_.variance_rate * o_.learning_rate})};
    };
    const Index batches = (learned.size() + o_.batch - 1) / o_.batch;
    Moving moving =
        moving_from(q_, prior, learned, 2 * tasks_, o_.decay ? o_.epochs * batches : 0, 1);
    FitProgress at;
    const auto score = [&](const GaussianWeights& q, Index draws) {
      if (validation.size() == 0) return std::numeric_limits<double>::quiet_NaN();
      return accuracy(probabilities_of(q, validation.X, draws), validation.y);
    };
    // A look on the way needs no more than a few networks: with all of them the looks would take
    // longer than the learning.
    const Index few = std::min<Index>(10, o_.predict_samples);
    report = fit(
        moving, at, o_, tasks_, learned.size(), [&] { return score(moving.q, few); }, hooks);
    report.kl_u = moving.kl;

    std::vector<GaussianWeights> predicts;
    if (!coresets.empty()) {
      const auto clock = std::chrono::steady_clock::now();
      const Dataset all = together(coresets, C_);
      Moving refined = moving_from(moving.q, moving.q, all, 2 * tasks_ + 1, 0, o_.coreset_weight);
      std::vector<Index> rows(static_cast<std::size_t>(all.size()));
      std::iota(rows.begin(), rows.end(), Index{0});
      Index step = 0;
      if (hooks.resume && hooks.resume->has("refined")) {
        (*hooks.resume)("refined", refined);
        (*hooks.resume)("refined_step", step);
      }
      const std::function<void(StateWriter&)> under_way = [&](StateWriter& writer) {
        writer("moving", moving);
        writer("at", at);
        writer("refined", refined);
        writer("refined_step", step);
      };
      while (step < o_.coreset_epochs) {
        const double loss = refined.step(rows.data(), all.size(), step);
        ++step;
        if (!std::isfinite(loss))
          throw NumericalError(
              fmt::format("task {}, coreset, step {}: the loss is not finite", tasks_ + 1, step));
        if (hooks.step) hooks.step(under_way);
      }
      predicts.push_back(std::move(refined.q));
      report.seconds +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
    }
    report.validation = score(predicts.empty() ? moving.q : predicts.front(), o_.predict_samples);
    // From here on nothing fails: the task becomes part of the model.
    q_ = std::move(moving.q);
    coresets_ = std::move(coresets);
    predicts_ = std::move(predicts);
    ++tasks_;
  });
  report.outputs = C_;
  return report;
}

Mat<double> Vcl::probabilities_of(const GaussianWeights& q, const RowMat<float>& X,
                                  Index draws) const {
  // A draw has the same noise for every row, so a row's answer does not depend on the others; each
  // row by itself has the noise of a network drawn at random.
  const std::size_t layers = q.mean.size();
  Weights<float> var;
  for (const Mat<float>& logvar : q.logvar) var.push_back(logvar.array().exp());
  std::vector<std::vector<Mat<float>>> noise(static_cast<std::size_t>(draws));
  for (std::size_t s = 0; s < noise.size(); ++s) {
    Random random(o_.seed, Purpose::kPredictNoise, 0, 0, static_cast<Index>(s));
    for (const Mat<float>& layer : q.mean)
      noise[s].push_back(random.normals<float>(layer.rows(), 1));
  }
  Mat<double> out(X.rows(), C_);
  for_each_chunk<float>(X, [&](const Mat<float>& chunk, Index first, Index count) {
    const Mat<float> input = chunk.transpose();
    Mat<float> first_mean, first_var, m, v;
    layer_moments(q.mean[0], var[0], input, first_mean, first_var);  // the same for every draw
    first_var = first_var.cwiseSqrt();
    Mat<float> p = Mat<float>::Zero(C_, input.cols());
    for (const auto& eps : noise) {
      Mat<float> A = first_mean + eps[0].col(0).asDiagonal() * first_var;
      for (std::size_t l = 1; l < layers; ++l) {
        A = A.cwiseMax(0.0F);
        layer_moments(q.mean[l], var[l], A, m, v);
        A = m + eps[l].col(0).asDiagonal() * v.cwiseSqrt();
      }
      p += softmax<float>(A);
    }
    out.middleRows(first, count) =
        (p.leftCols(count).transpose() / static_cast<float>(noise.size())).cast<double>();
  });
  return out;
}

Mat<double> Vcl::probabilities(const RowMat<float>& X, Index) const {
  Mat<double> out;
  with_threads(threads_, [&] {
    out = probabilities_of(predicts_.empty() ? q_ : predicts_.front(), X, o_.predict_samples);
  });
  return out;
}

Index Vcl::raw_rows() const {
  Index rows = 0;
  for (const KeptRows& part : coresets_) rows += part.size();
  return rows;
}

State Vcl::state() const {
  State out;
  StateWriter writer(out);
  writer("vcl", *this);
  return out;
}

void Vcl::read(State& state) {
  Vcl in(o_, D_, C_, threads_);
  StateReader reader(state);
  reader("vcl", in);
  *this = std::move(in);
}

}  // namespace vargp
