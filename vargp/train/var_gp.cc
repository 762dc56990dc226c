#include "vargp/train/var_gp.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "vargp/core/error.h"
#include "vargp/core/random.h"
#include "vargp/io/state.h"
#include "vargp/kernels/deep.h"
#include "vargp/likelihoods/softmax.h"
#include "vargp/train/start.h"
#include "vargp/train/stopping.h"

namespace vargp {
namespace {

// How far the epochs of a task have come.
struct Epochs {
  EarlyStopping stopping;
  LearnReport report;
  Index batches = 0;                                // of the epoch under way
  double sum = 0, ell = 0, kl_u = 0, kl_hyper = 0;  // of their bounds, and of the parts

  template <class Archive>
  void fields(Archive& a) {
    a("stopping", stopping);
    a("epochs", report.epochs);
    a("bound", report.bound);
    a("kl_u", report.kl_u);
    a("kl_hyper", report.kl_hyper);
    a("validation", report.validation);
    a("seconds", report.seconds);
    a("batches", batches);
    a("sum", sum);
    a("ell", ell);
    a("sum_kl_u", kl_u);
    a("sum_kl_hyper", kl_hyper);
    a("curve", report.curve);
    a.expect(report.epochs >= 0 && batches >= 0, "counts not below 0");
  }
};

// What the task would leave if it ended here.
template <class S>
struct Result {
  std::vector<InducingBlock<S>> blocks;
  Carried<S> carried;

  template <class Archive>
  void fields(Archive& a) {
    a("blocks", blocks);
    a("carried", carried);
  }
};

}  // namespace

template <class S>
VarGp<S>::VarGp(const Options& options, bool classification)
    : options_(options), classification_(classification) {
  options_.validate();
  groups_.shared = options_.shared;
}

template <class S>
LearnReport VarGp<S>::learn(const TaskData<S>& task, const LearnHooks& hooks) {
  const auto clock = std::chrono::steady_clock::now();
  const Options& o = options_;
  require(!task.pass, "model = var-gp: needs all rows of a task in memory");
  const Index N = task.X.rows(), t = tasks_;
  require(t == 0 || task.Y.rows() == groups_.C ||
              variant_of(o.model).structure == Structure::kAutoRegressive,
          "model = block-diagonal: task {} brings new outputs; this model needs all classes to be "
          "given at the start",
          t + 1);
  const Carried<S> start = t == 0 ? first_start(task.X, o) : carried_;
  HyperPosterior<S> prior = start.hyper;  // q_{t-1}(theta), or the first task's prior
  if (t == 0) {
    if (o.standard_prior) prior.mean.setZero();
    prior.logvar = Mat<S>::Zero(prior.mean.rows(), 1);
  }
  TaskLearner<S> learner(o, t, blocks_, start, prior, task.X, task.Y);
  const Groups groups = learner.groups();

  const auto validation_score = [&] {
    if (task.X_validation.rows() == 0) return std::numeric_limits<double>::quiet_NaN();
    const auto predictor = predictor_of(learner.blocks(), groups, learner.carried());
    return score(predict_with(*predictor, groups, task.X_validation), task.Y_validation,
                 classification_);
  };

  Epochs at{EarlyStopping(o.patience, o.tolerance, o.keep_best), {}};
  LearnReport& report = at.report;
  Result<S> best;  // where the best epoch is kept
  if (hooks.resume) {
    (*hooks.resume)("learner", learner);
    (*hooks.resume)("at", at);
    if (hooks.resume->has("best")) (*hooks.resume)("best", best);
  }
  const double seconds_before = report.seconds;
  const auto seconds = [&] {
    const auto now = std::chrono::steady_clock::now();
    return seconds_before + std::chrono::duration<double>(now - clock).count();
  };
  const auto under_way = [&](StateWriter& writer) {
    report.seconds = seconds();
    writer("learner", learner);
    writer("at", at);
    if (!best.blocks.empty()) writer("best", best);
  };
  for (bool stop = false; !stop && report.epochs < o.epochs;) {
    const auto order = Random(o.seed, Purpose::kBatch, t, report.epochs).permutation(N);
    for (Index first = at.batches * o.batch; first < N; first += o.batch) {
      const auto values = learner.step(order.data() + first, std::min(o.batch, N - first));
      at.sum += values.bound;
      at.ell += values.ell;
      at.kl_u += values.kl_u;
      at.kl_hyper += values.kl_hyper;
      ++at.batches;
      report.kl_u = values.kl_u;
      report.kl_hyper = values.kl_hyper;
      if (hooks.step) hooks.step(under_way);
    }
    ++report.epochs;
    const auto batches = static_cast<double>(std::exchange(at.batches, 0));
    report.bound = std::exchange(at.sum, 0) / batches;
    report.validation = validation_score();
    report.curve.bound.push_back(report.bound);
    report.curve.ell.push_back(std::exchange(at.ell, 0) / batches);
    report.curve.kl_u.push_back(std::exchange(at.kl_u, 0) / batches);
    report.curve.kl_hyper.push_back(std::exchange(at.kl_hyper, 0) / batches);
    if (!std::isnan(report.validation)) report.curve.validation.push_back(report.validation);
    if (hooks.progress)
      hooks.progress({t, report.epochs, o.epochs, report.bound, report.validation});
    // Without validation data, the bound per point tells when nothing moves any more.
    stop = at.stopping.stop_after(
        std::isnan(report.validation) ? report.bound / static_cast<double>(N) : report.validation);
    if (o.keep_best && at.stopping.best_epoch() == report.epochs)
      best = {learner.blocks(), learner.carried()};
  }

  if (!o.keep_best)
    best = {learner.blocks(), learner.carried()};
  else if (!std::isnan(report.validation))
    report.validation =
        report.curve.validation[static_cast<std::size_t>(at.stopping.best_epoch()) - 1];
  auto& [blocks, carried] = best;
  auto predictor = predictor_of(blocks, groups, carried);
  if (classification_ && o.likelihood == LikelihoodKind::kGaussian &&
      task.X_validation.rows() > 0) {
    const Latent<S> f = predict_with(*predictor, groups, task.X_validation);
    link_.learn<S>(f.mean, task.Y_validation);
  }
  // From here on nothing fails: the task becomes part of the model.
  report.task = t + 1;
  report.rows = N;
  report.inducing = blocks.back().M();
  report.outputs = groups.C;
  tasks_ = t + 1;
  blocks_ = std::move(blocks);
  carried_ = std::move(carried);
  predictor_ = std::move(predictor);
  groups_ = groups;
  D_ = task.X.cols();
  report.seconds = seconds();
  return report;
}

template <class S>
void VarGp<S>::write(StateWriter& writer) const {
  writer("var_gp", *this);
}

template <class S>
void VarGp<S>::read(StateReader& reader) {
  VarGp in(options_, classification_);
  reader("var_gp", in);
  const bool one = variant_of(options_.model).old == OldBlocks::kReplaced;
  reader.expect(std::ssize(in.blocks_) == (one ? std::min<Index>(in.tasks_, 1) : in.tasks_),
                one ? "one block" : "a block for every task");
  if (in.blocks_.empty()) {
    reader.expect(in.groups_.C == 0, "no outputs before the first task");
  } else {
    reader.expect(!in.blocks_.front().Z.empty(), "Z in every block");
    in.D_ = in.blocks_.front().Z.front().cols();
    reader.expect(in.D_ > 0, "Z with a column for every input");
    const Variant variant = variant_of(options_.model);
    Index C = 0;
    for (const auto& block : in.blocks_) {
      reader.expect(std::ssize(block.Z) == (options_.shared ? 1 : block.C()), "Z of each group");
      for (const Mat<S>& Z : block.Z) reader.expect(Z.cols() == in.D_, "Z with as many columns");
      reader.expect(block.C() >= C, "outputs that only grow");
      reader.expect(block.C() == in.groups_.C || variant.structure == Structure::kAutoRegressive,
                    "all outputs in every block");
      C = block.C();
    }
    reader.expect(C == in.groups_.C, "the outputs of the last block");
    const Index P = in.carried_.hyper.mean.rows();
    const std::vector<Mat<S>>& phi = in.carried_.phi;
    reader.expect(phi.empty() != variant.deep, "phi of a deep kernel only");
    Index inputs = in.D_;  // of each layer
    for (const Mat<S>& A : phi) {
      reader.expect(A.cols() == inputs + 1, "phi with layers that fit");
      inputs = A.rows();
    }
    reader.expect(inputs > 0 && P == (options_.ard ? inputs + 1 : 2),
                  "theta of the kernel's inputs");
    const bool point = options_.hyper != HyperTreatment::kPosterior;
    reader.expect((in.carried_.hyper.logvar.size() == 0) == point,
                  point ? "theta without a logvar" : "theta with a logvar");
    in.predictor_ = predictor_of(in.blocks_, in.groups_, in.carried_);
  }
  *this = std::move(in);
}

template <class S>
std::vector<Mat<S>> VarGp<S>::predictive_thetas(const HyperPosterior<S>& hyper, Index D) const {
  Tape<S> tape;
  const Var<S> mean = tape.constant_ref(hyper.mean);
  Var<S> logvar;
  if (hyper.logvar.size() > 0) logvar = tape.constant_ref(hyper.logvar);
  Random random(options_.seed, Purpose::kPredictTheta);
  const Mat<S> eps = random.normals<S>(hyper.mean.rows(), options_.theta_samples);
  std::vector<Mat<S>> out;
  for (const Var<S>& theta : sample_theta<S>(mean, logvar, eps, D)) out.push_back(theta.value());
  return out;
}

template <class S>
std::shared_ptr<const ChainPredictor<S>> VarGp<S>::predictor_of(
    const std::vector<InducingBlock<S>>& blocks, const Groups& groups,
    const Carried<S>& carried) const {
  const Index D = kernel_inputs(carried.phi, blocks.front().Z.front().cols());
  return std::make_shared<const ChainPredictor<S>>(
      blocks, groups, predictive_thetas(carried.hyper, D), carried.phi,
      variant_of(options_.model).structure, options_.jitter);
}

template <class S>
Latent<S> VarGp<S>::predict(const RowMat<S>& X, bool) const {
  VARGP_CHECK(predictor_ != nullptr);
  return predict_with(*predictor_, groups_, X);
}

template <class S>
Latent<S> VarGp<S>::predict_with(const ChainPredictor<S>& predictor, const Groups& groups,
                                 const RowMat<S>& X) const {
  const Index C = groups.C, F = options_.function_samples;
  const bool sampled = classification_ && options_.likelihood == LikelihoodKind::kSoftmax;
  Latent<S> out{Mat<S>(C, X.rows()), Mat<S>(C, X.rows()), {}};
  if (classification_) out.probability.resize(C, X.rows());
  for_each_chunk<S>(X, [&](const Mat<S>& chunk, Index first, Index count) {
    std::vector<Mat<S>> mean, var;
    predictor.latent(chunk, mean, var);
    const S average = S(1) / static_cast<S>(mean.size());
    Mat<S> m = Mat<S>::Zero(C, chunk.rows()), v = m, p = m;
    for (std::size_t s = 0; s < mean.size(); ++s) {
      m += average * mean[s];
      v += average * (var[s] + mean[s].cwiseAbs2());
      if (!sampled) continue;
      const Random random(options_.seed, Purpose::kPredictFunction, 0, 0, static_cast<Index>(s));
      const Noise<S> noise = balanced_noise<S>(random, C, F);  // the same for every row
      p += average * softmax_probabilities<S>(mean[s], var[s], noise);
    }
    v -= m.cwiseAbs2();  // the law of total variance over theta
    v = v.cwiseMax(S(0));
    if (classification_ && !sampled) p = link_.probabilities<S>(m);
    out.mean.middleCols(first, count) = m.leftCols(count);
    out.var.middleCols(first, count) = v.leftCols(count);
    if (classification_) out.probability.middleCols(first, count) = p.leftCols(count);
  });
  return out;
}

template <class S>
double VarGp<S>::noise() const {
  return options_.likelihood == LikelihoodKind::kGaussian
             ? std::exp(static_cast<double>(carried_.log_noise(0)))
             : 0;
}

template <class S>
std::vector<Mat<S>> VarGp<S>::inducing_inputs() const {
  std::vector<Mat<S>> out;
  for (const auto& block : blocks_) {
    Mat<S> all(0, D_);
    for (const Mat<S>& Z : block.Z) {
      all.conservativeResize(all.rows() + Z.rows(), D_);
      all.bottomRows(Z.rows()) = Z;
    }
    out.push_back(std::move(all));
  }
  return out;
}

template <class S>
void VarGp<S>::theta(Mat<S>& mean, Mat<S>& deviation) const {
  Tape<S> tape;
  const Index D = kernel_inputs(carried_.phi, D_);
  mean = expand(tape.constant_ref(carried_.hyper.mean), D).value();
  Mat<S> d = Mat<S>::Zero(carried_.hyper.mean.rows(), 1);
  if (carried_.hyper.logvar.size() > 0) d = (S(0.5) * carried_.hyper.logvar.array()).exp();
  deviation = expand(tape.constant_ref(d), D).value();
}

template <class S>
std::size_t VarGp<S>::state_bytes() const {
  Index numbers =
      carried_.hyper.mean.size() + carried_.hyper.logvar.size() + carried_.log_noise.size();
  for (const Mat<S>& p : carried_.phi) numbers += p.size();
  for (const auto& block : blocks_) {
    for (const Mat<S>& Z : block.Z) numbers += Z.size();
    numbers += block.m.size() + block.C() * block.M() * (block.M() + 1) / 2;
  }
  return static_cast<std::size_t>(numbers) * sizeof(S);
}

template class VarGp<float>;
template class VarGp<double>;

}  // namespace vargp
