#include "vargp/train/coupled.h"

#include <chrono>
#include <cmath>
#include <limits>

#include "vargp/core/error.h"
#include "vargp/core/random.h"
#include "vargp/likelihoods/softmax.h"
#include "vargp/models/collapsed.h"
#include "vargp/models/hyper.h"
#include "vargp/optim/optimizer.h"
#include "vargp/train/start.h"

namespace vargp {
namespace {

// The first task's theta [D + 1, 1] and noise: from the data, then by the collapsed bound on some
// of the points, with the prior N(start, I) on p.
template <class S>
Mat<S> first_theta(const TaskData<S>& task, const Options& o, double& s2) {
  const Index D = task.X.cols();
  const Mat<S> start = start_theta(task.X, o);
  Mat<S> p = start;
  Mat<S> log_noise = Mat<S>::Constant(1, 1, static_cast<S>(std::log(s2)));
  const bool moves_hyper = o.hyper != HyperTreatment::kFixed;
  const bool moves_noise = o.learn_noise && o.likelihood == LikelihoodKind::kGaussian;
  if (moves_hyper || moves_noise) {
    const auto order = Random(o.seed, Purpose::kBatch).permutation(task.X.rows());
    const Index count = std::min<Index>(o.hyper_points, task.X.rows());
    const auto chunks = gather(task.X, task.Y, order.data(), count, 256);
    RowMat<S> points(count, D);
    for (Index i = 0; i < count; ++i)
      points.row(i) = task.X.row(order[static_cast<std::size_t>(i)]);
    const Mat<S> Z = start_inducing(points, o, Random(o.seed, Purpose::kInducing));
    Optimizer<S> optimizer({Rule::kAdam, o.learning_rate});
    for (Index step = 0; step < o.hyper_steps; ++step) {
      Tape<S> tape;
      const Var<S> pv = moves_hyper ? tape.variable(p) : tape.constant_ref(p);
      const Var<S> nv = moves_noise ? tape.variable(log_noise) : tape.constant_ref(log_noise);
      const Var<S> F =
          collapsed_bound(tape.constant_ref(Z), expand(pv, D), nv, chunks.X, chunks.Y, o.jitter);
      const Var<S> prior = sum_of_squares(subtract(pv, tape.constant_ref(start)));
      const Var<S> loss = subtract(scale(prior, S(0.5) * static_cast<S>(o.beta)), F);
      if (!std::isfinite(static_cast<double>(loss.value()(0))))
        throw NumericalError(fmt::format(
            "the bound is not finite while theta is learned on the first task, step {}", step + 1));
      tape.backward(loss);
      std::vector<Mat<S>*> moved;
      std::vector<Mat<S>> grads;
      if (moves_hyper) moved.push_back(&p), grads.push_back(pv.grad());
      if (moves_noise) moved.push_back(&log_noise), grads.push_back(nv.grad());
      optimizer.step(moved, grads);
    }
  }
  s2 = std::exp(static_cast<double>(log_noise(0)));
  Tape<S> tape;
  return expand(tape.constant_ref(p), D).value();
}

}  // namespace

template <class S>
Coupled<S>::Coupled(const Options& options, bool classification)
    : options_(options), classification_(classification), s2_(options.noise) {
  options_.validate();
}

template <class S>
LearnReport Coupled<S>::learn(const TaskData<S>& task, const ProgressCallback& progress) {
  const auto clock = std::chrono::steady_clock::now();
  const Options& o = options_;
  const auto t = static_cast<Index>(sizes_.size());
  double s2 = s2_;
  CoupledPosterior<S> q = t == 0 ? CoupledPosterior<S>(first_theta(task, o, s2), o.jitter) : q_;
  const Mat<S> Z = start_inducing(task.X, o, Random(o.seed, Purpose::kInducing, t));
  q.add_inducing(Z);
  q.add_outputs(task.Y.rows() - q.C());

  LearnReport report;
  if (o.likelihood == LikelihoodKind::kGaussian) {
    report.bound = q.learn_gaussian(task.X, task.Y, s2);
  } else {
    const auto trail = q.learn_softmax(task.X, task.Y, o.curvature, 100, 1e-5);
    report.bound = trail.back();
    report.epochs = static_cast<Index>(trail.size()) - 1;
  }
  report.validation = std::numeric_limits<double>::quiet_NaN();
  LabelLink link = link_;
  if (task.X_validation.rows() > 0) {
    const Latent<S> f = predict_with(q, task.X_validation);
    report.validation = score(f, task.Y_validation, classification_);
    if (classification_ && o.likelihood == LikelihoodKind::kGaussian)
      link.learn<S>(f.mean, task.Y_validation);
  }
  if (progress) progress({t, 1, 1, report.bound, report.validation});

  q_ = std::move(q);
  link_ = link;
  s2_ = s2;
  sizes_.push_back(Z.rows());
  report.task = t + 1;
  report.rows = task.X.rows();
  report.inducing = Z.rows();
  report.outputs = task.Y.rows();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  return report;
}

template <class S>
Latent<S> Coupled<S>::predict_with(const CoupledPosterior<S>& q, const RowMat<S>& X) const {
  const Index C = q.C(), F = options_.function_samples;
  const bool sampled = classification_ && options_.likelihood == LikelihoodKind::kSoftmax;
  Noise<S> noise;
  if (sampled) {
    Random random(options_.seed, Purpose::kPredictFunction);
    for (Index f = 0; f < F; f += 2) {
      noise.push_back(random.normals<S>(C, 1));
      if (f + 1 < F) noise.push_back(-noise.back());
    }
  }
  Latent<S> out{Mat<S>(C, X.rows()), Mat<S>(C, X.rows()), {}};
  if (classification_) out.probability.resize(C, X.rows());
  for_each_chunk<S>(X, [&](const Mat<S>& chunk, Index first, Index count) {
    Mat<S> mean, var;
    q.latent(chunk, mean, var);
    var = var.cwiseMax(S(0)).replicate(C, 1).eval();
    out.mean.middleCols(first, count) = mean.leftCols(count);
    out.var.middleCols(first, count) = var.leftCols(count);
    if (!classification_) return;
    const Mat<S> p =
        sampled ? softmax_probabilities<S>(mean, var, noise) : link_.probabilities<S>(mean);
    out.probability.middleCols(first, count) = p.leftCols(count);
  });
  return out;
}

template <class S>
double Coupled<S>::noise() const {
  return options_.likelihood == LikelihoodKind::kGaussian ? s2_ : 0;
}

template <class S>
std::vector<Mat<S>> Coupled<S>::inducing_inputs() const {
  std::vector<Mat<S>> out;
  Index row = 0;
  for (const Index M : sizes_) {
    out.push_back(q_.Z().middleRows(row, M));
    row += M;
  }
  return out;
}

template <class S>
void Coupled<S>::theta(Mat<S>& mean, Mat<S>& deviation) const {
  mean = q_.theta();
  deviation = Mat<S>::Zero(mean.rows(), 1);
}

template <class S>
std::size_t Coupled<S>::state_bytes() const {
  // Z, theta, the lower triangle of Lambda and h; L and the rest follow from these.
  const Index n = q_.n();
  const Index numbers = q_.Z().size() + q_.theta().size() + n * (n + 1) / 2 + n * q_.C();
  return static_cast<std::size_t>(numbers) * sizeof(S);
}

template class Coupled<float>;
template class Coupled<double>;

}  // namespace vargp
