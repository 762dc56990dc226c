#include "vargp/train/coupled.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "vargp/core/error.h"
#include "vargp/core/random.h"
#include "vargp/io/state.h"
#include "vargp/likelihoods/softmax.h"
#include "vargp/models/collapsed.h"
#include "vargp/models/hyper.h"
#include "vargp/optim/optimizer.h"
#include "vargp/train/moving.h"
#include "vargp/train/start.h"

namespace vargp {
namespace {

// What the collapsed bound may move, whether it does, and how far it has come.
template <class S>
struct Collapsed {
  explicit Collapsed(const Options& o) : optimizer({Rule::kAdam, o.learning_rate}) {}

  Mat<S> Z, p, log_noise;
  bool moves_Z = false, moves_p = false, moves_noise = false;
  double trace_weight = 1;
  Index step = 0;
  Optimizer<S> optimizer;

  bool moves() const { return moves_Z || moves_p || moves_noise; }

  template <class Archive>
  void fields(Archive& a) {
    a("Z", Z);
    a("p", p);
    a("log_noise", log_noise);
    a("step", step);
    a("optimizer", optimizer);
  }
};

// Adam on the collapsed bound of points drawn anew for every step, with p's prior. Goes on from
// `resume` where that holds what was left under this name.
template <class S>
void learn_collapsed(Collapsed<S>& c, const std::string& name, const TaskData<S>& task, Index t,
                     const Options& o, StateReader* resume, const std::function<void()>& stepped) {
  if (!c.moves()) return;
  const Index N = task.X.rows(), D = task.X.cols(), count = std::min(o.hyper_points, N);
  const Mat<S> start = c.p;
  if (resume && resume->has(name)) (*resume)(name, c);
  for (; c.step < o.hyper_steps; stepped()) {
    const auto order = Random(o.seed, Purpose::kBatch, t, c.step).permutation(N);
    const auto chunks = gather(task.X, task.Y, order.data(), count, 256);
    Tape<S> tape;
    Moving<S> moving(tape);
    const Var<S> Z = moving.enter(c.Z, c.moves_Z), p = moving.enter(c.p, c.moves_p);
    const Var<S> log_noise = moving.enter(c.log_noise, c.moves_noise);
    const Var<S> F =
        collapsed_bound(Z, expand(p, D), log_noise, chunks.X, chunks.Y, o.jitter, c.trace_weight);
    const Var<S> loss =
        subtract(scale(prior_distance(p, start), S(0.5) * static_cast<S>(o.beta)), F);
    // Z comes to rest: each step is shorter than the last by the same amount.
    const double rate =
        c.moves_Z ? 1 - static_cast<double>(c.step) / static_cast<double>(o.hyper_steps) : 1;
    ++c.step;
    if (!std::isfinite(static_cast<double>(loss.value()(0))))
      throw NumericalError(
          fmt::format("the collapsed bound is not finite at task {}, step {}", t + 1, c.step));
    tape.backward(loss);
    moving.step(c.optimizer, rate);
  }
}

// Deviations of p by Laplace's approximation: the loss's curvature where p was learned, from
// differences of gradients on some of the points, as if there were as many of them as in the task.
// Zeros where p has too many parts for that.
template <class S>
Mat<S> deviations(const Collapsed<S>& c, const TaskData<S>& task, const Options& o,
                  const std::function<void()>& pause) {
  constexpr Index kMostParts = 65, kPoints = 500;
  constexpr double kStep = 0.05;
  const Index P = c.p.rows(), N = task.X.rows(), D = task.X.cols(), count = std::min(kPoints, N);
  if (!c.moves_p || P > kMostParts) return Mat<S>::Zero(P, 1);
  const auto order = Random(o.seed, Purpose::kTheta, 0, 1).permutation(N);
  const auto chunks = gather(task.X, task.Y, order.data(), count, 256);
  const auto gradient = [&](const Mat<S>& at) -> Vec<double> {
    Tape<S> tape;
    const Var<S> p = tape.variable(at);
    tape.backward(collapsed_bound(tape.constant_ref(c.Z), expand(p, D),
                                  tape.constant_ref(c.log_noise), chunks.X, chunks.Y, o.jitter));
    return p.grad().template cast<double>();
  };
  const Vec<double> here = gradient(c.p);
  Mat<double> H(P, P);
  for (Index k = 0; k < P; ++k) {
    Mat<S> there = c.p;
    there(k) += static_cast<S>(kStep);
    H.col(k) =
        (here - gradient(there)) / kStep * static_cast<double>(N) / static_cast<double>(count);
    pause();
  }
  const Eigen::SelfAdjointEigenSolver<Mat<double>> eigen(0.5 * (H + H.transpose()));
  // No direction is less known than before.
  const Mat<double> V = eigen.eigenvectors();
  H = V * eigen.eigenvalues().cwiseMax(0).asDiagonal() * V.transpose();
  H += std::max(o.beta, 0.01) * prior_precision(P);
  return H.llt().solve(Mat<double>::Identity(P, P)).diagonal().cwiseSqrt().template cast<S>();
}

// The first task's theta and noise at their start.
template <class S>
Collapsed<S> start_of_theta(const TaskData<S>& task, const Options& o, double s2,
                            const std::function<void()>& pause) {
  Collapsed<S> c(o);
  c.p = start_theta(task.X, o);
  c.log_noise = Mat<S>::Constant(1, 1, static_cast<S>(std::log(s2)));
  // Labels that are all the same have nothing to tell of theta: they would have it without end.
  const bool tells = (task.Y.colwise() - task.Y.col(0)).squaredNorm() > 0;
  c.moves_p = tells && o.hyper != HyperTreatment::kFixed;
  c.moves_noise = tells && o.learn_noise && o.likelihood == LikelihoodKind::kGaussian;
  if (c.moves()) c.Z = start_inducing(task.X, o, Random(o.seed, Purpose::kInducing), pause);
  return c;
}

// The inducing inputs of task t at their start: those that theta was learned with, if it was.
template <class S>
Collapsed<S> start_of_inducing(const TaskData<S>& task, Index t, const Options& o, const Mat<S>& Z,
                               const Mat<S>& theta, double s2, const std::function<void()>& pause) {
  Collapsed<S> c(o);
  c.Z = Z.size() > 0 ? Z : start_inducing(task.X, o, Random(o.seed, Purpose::kInducing, t), pause);
  c.p = theta;
  c.log_noise = Mat<S>::Constant(1, 1, static_cast<S>(std::log(s2)));
  c.moves_Z = o.learn_inducing;
  c.trace_weight = o.trace_weight;
  return c;
}

}  // namespace

template <class S>
Coupled<S>::Coupled(const Options& options, bool classification)
    : options_(options),
      classification_(classification),
      q_(Mat<S>(), options.jitter),
      s2_(options.noise) {
  options_.validate();
}

template <class S>
LearnReport Coupled<S>::learn(const TaskData<S>& task, const LearnHooks& hooks) {
  const auto clock = std::chrono::steady_clock::now();
  const Options& o = options_;
  const Index t = std::ssize(q_.sizes());
  double before = 0;  // seconds, until the task was left
  if (hooks.resume) (*hooks.resume)("seconds", before);
  const auto seconds = [&] {
    const auto now = std::chrono::steady_clock::now();
    return before + std::chrono::duration<double>(now - clock).count();
  };
  // theta, the noise and Z are learned in steps, which may take minutes and are kept when the task
  // is left; all else is learned anew.
  std::optional<Collapsed<S>> first, inducing;
  const std::function<void(StateWriter&)> under_way = [&](StateWriter& writer) {
    if (first && first->moves()) writer("theta", *first);
    if (inducing && inducing->moves()) writer("inducing", *inducing);
    writer("seconds", seconds());
  };
  bool moved = false;
  const auto pause = [&] {
    if (hooks.step) hooks.step(moved ? under_way : nullptr);
  };
  const auto stepped = [&] {
    moved = true;
    pause();
  };
  double s2 = s2_;
  Mat<S> deviation = deviation_;
  CoupledPosterior<S> q = q_;
  if (t == 0) {
    first = start_of_theta(task, o, s2, pause);
    learn_collapsed(*first, "theta", task, 0, o, hooks.resume, stepped);
    s2 = std::exp(static_cast<double>(first->log_noise(0)));
    Tape<S> tape;
    deviation = expand(tape.constant(deviations(*first, task, o, pause)), task.X.cols()).value();
    q = CoupledPosterior<S>(expand(tape.constant_ref(first->p), task.X.cols()).value(), o.jitter);
  }
  inducing = start_of_inducing(task, t, o, first ? first->Z : Mat<S>(), q.theta(), s2, pause);
  learn_collapsed(*inducing, "inducing", task, t, o, hooks.resume, stepped);
  pause();
  const Mat<S>& Z = inducing->Z;
  q.add_inducing(Z);
  q.add_outputs(task.Y.rows() - q.C());
  pause();

  LearnReport report;
  report.rows = task.X.rows();
  if (o.likelihood == LikelihoodKind::kGaussian && task.pass) {
    report.rows = 0;
    report.bound = q.learn_gaussian(
        [&](const auto& take) {
          task.pass([&](const RowMat<S>& X, const Mat<S>& Y) {
            take(X, Y);
            report.rows += X.rows();
          });
        },
        s2, pause);
  } else if (o.likelihood == LikelihoodKind::kGaussian) {
    report.bound = q.learn_gaussian(task.X, task.Y, s2, pause);
  } else {
    require(!task.pass, "likelihood = softmax: needs all rows of a task in memory");
    const auto trail = q.learn_softmax(task.X, task.Y, o.curvature, 100, 1e-5, pause);
    report.bound = trail.back();
    report.epochs = static_cast<Index>(trail.size()) - 1;
    report.curve.bound.assign(trail.begin() + 1, trail.end());
  }
  pause();
  report.validation = std::numeric_limits<double>::quiet_NaN();
  LabelLink link = link_;
  if (task.X_validation.rows() > 0) {
    const Latent<S> f = predict_with(q, task.X_validation, false);
    report.validation = score(f, task.Y_validation, classification_);
    if (classification_ && o.likelihood == LikelihoodKind::kGaussian)
      link.learn<S>(f.mean, task.Y_validation);
    if (task.learn_validation && o.likelihood == LikelihoodKind::kGaussian) {
      report.bound += q.learn_gaussian(task.X_validation, task.Y_validation, s2);
      report.rows += task.X_validation.rows();
    }
  }
  if (hooks.progress) hooks.progress({t, 1, 1, report.bound, report.validation});

  q_ = std::move(q);
  link_ = link;
  s2_ = s2;
  deviation_ = deviation;
  report.task = t + 1;
  report.inducing = Z.rows();
  report.outputs = task.Y.rows();
  report.seconds = seconds();
  return report;
}

template <class S>
Latent<S> Coupled<S>::predict_with(const CoupledPosterior<S>& q, const RowMat<S>& X,
                                   bool with_var) const {
  const Index C = q.C(), F = options_.function_samples;
  const bool sampled = classification_ && options_.likelihood == LikelihoodKind::kSoftmax;
  Noise<S> noise;
  if (sampled) noise = balanced_noise<S>(Random(options_.seed, Purpose::kPredictFunction), C, F);
  with_var = with_var || sampled;
  Latent<S> out{Mat<S>(C, X.rows()), Mat<S>(with_var ? C : 0, X.rows()), {}};
  if (classification_) out.probability.resize(C, X.rows());
  for_each_chunk<S>(X, [&](const Mat<S>& chunk, Index first, Index count) {
    Mat<S> mean, var;
    q.latent(chunk, mean, with_var ? &var : nullptr);
    out.mean.middleCols(first, count) = mean.leftCols(count);
    if (with_var) {
      var = var.cwiseMax(S(0)).replicate(C, 1).eval();
      out.var.middleCols(first, count) = var.leftCols(count);
    }
    if (!classification_) return;
    const Mat<S> p =
        sampled ? softmax_probabilities<S>(mean, var, noise) : link_.probabilities<S>(mean);
    out.probability.middleCols(first, count) = p.leftCols(count);
  });
  return out;
}

template <class S>
void Coupled<S>::write(StateWriter& writer) const {
  writer("coupled", *this);
}

template <class S>
void Coupled<S>::read(StateReader& reader) {
  Coupled in(options_, classification_);
  reader("coupled", in);
  *this = std::move(in);
}

template <class S>
double Coupled<S>::noise() const {
  return options_.likelihood == LikelihoodKind::kGaussian ? s2_ : 0;
}

template <class S>
std::vector<Mat<S>> Coupled<S>::inducing_inputs() const {
  std::vector<Mat<S>> out;
  Index row = 0;
  for (const Index M : q_.sizes()) {
    out.push_back(q_.Z().middleRows(row, M));
    row += M;
  }
  return out;
}

template <class S>
void Coupled<S>::theta(Mat<S>& mean, Mat<S>& deviation) const {
  mean = q_.theta();
  deviation = deviation_;
}

template <class S>
std::size_t Coupled<S>::state_bytes() const {
  // Z and theta, and in double the lower triangle of Lambda, h and mu: what the model file holds. L
  // and the rest follow from these.
  const Index n = q_.n();
  const Index numbers = q_.Z().size() + 2 * q_.theta().size();
  const Index doubles = n * (n + 1) / 2 + 2 * n * q_.C();
  return static_cast<std::size_t>(numbers) * sizeof(S) +
         static_cast<std::size_t>(doubles) * sizeof(double);
}

template class Coupled<float>;
template class Coupled<double>;

}  // namespace vargp
