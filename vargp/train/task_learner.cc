#include "vargp/train/task_learner.h"

#include <cmath>

#include "vargp/core/error.h"
#include "vargp/core/linalg.h"
#include "vargp/core/random.h"
#include "vargp/likelihoods/gaussian.h"
#include "vargp/likelihoods/softmax.h"
#include "vargp/models/bound.h"
#include "vargp/train/moving.h"
#include "vargp/train/start.h"

namespace vargp {
namespace {

// Points of one unit of work. With a group for every class there are units enough without cutting
// the batch small.
constexpr Index kChunkShared = 256, kChunkPerClass = 512;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <class S>
std::unique_ptr<Likelihood<S>> make_likelihood(LikelihoodKind kind) {
  if (kind == LikelihoodKind::kSoftmax) return std::make_unique<Softmax<S>>();
  return std::make_unique<Gaussian<S>>();
}

// The packed lower triangle of an identity: softplus^-1(1) on the diagonal.
template <class S>
Mat<S> packed_identity(Index M) {
  Mat<S> v = Mat<S>::Zero(M * (M + 1) / 2, 1);
  for (Index i = 0; i < M; ++i) v(i * (i + 1) / 2 + i) = static_cast<S>(std::log(std::expm1(1.0)));
  return v;
}

// One natural-gradient step on q(u_t) of every output, from what the bound's forward pass left.
template <class S>
void natural_step(const Bound<S>& b, const Batch<S>& batch, const Groups& groups,
                  const Likelihood<S>& likelihood, S log_noise, double rho,
                  std::vector<NaturalParameters>& natural, Mat<S>& m, std::vector<Mat<S>>& Ls) {
  const Index samples = static_cast<Index>(b.parts.size()), M = m.rows();
  const Index chunks = static_cast<Index>(batch.X.size());
  const double whole = static_cast<double>(batch.N) / static_cast<double>(batch.size());
  const double average = 1.0 / static_cast<double>(samples);

  std::vector<std::vector<Curvature<S>>> curvature(at(samples));  // [s][chunk]
  for (Index s = 0; s < samples; ++s)
    for (Index i = 0; i < chunks; ++i)
      curvature[at(s)].push_back(likelihood.curvature(
          b.mean[at(s)][at(i)].value(), b.var[at(s)][at(i)].value(), batch.Y[at(i)], log_noise,
          likelihood.samples() ? batch.noise[at(s)][at(i)] : Noise<S>{}));

  // P = L_tt^-T W_t and C_t^-1 = L_tt^-T L_tt^-1, for every (s, g).
  std::vector<std::vector<Mat<S>>> P(at(samples * groups.count()));
  std::vector<Mat<double>> C_inverse(P.size());
  parallel_for(static_cast<Index>(P.size()), [&](Index unit) {
    const auto& part = b.parts[at(unit / groups.count())][at(unit % groups.count())];
    const Mat<S>& L = part.L_tt.value();
    for (const Var<S>& W : part.W) {
      P[at(unit)].push_back(W.value().bottomRows(M));
      solve_lower_transposed<S>(L, P[at(unit)].back());
    }
    Mat<double> inverse = Mat<double>::Identity(M, M);
    solve_lower<double>(L.template cast<double>(), inverse);
    C_inverse[at(unit)].noalias() = inverse.transpose() * inverse;
  });

  parallel_for(groups.C, [&](Index c) {
    const Index g = groups.shared ? 0 : c;
    NaturalParameters target{Mat<double>::Zero(M, M), Vec<double>::Zero(M)};
    for (Index s = 0; s < samples; ++s) {
      const Index unit = s * groups.count() + g;
      target.precision += average * C_inverse[at(unit)];
      for (Index i = 0; i < chunks; ++i) {
        const Mat<S>& Pi = P[at(unit)][at(i)];
        const auto lambda = curvature[at(s)][at(i)].lambda.row(c);
        const auto gradient = curvature[at(s)][at(i)].g.row(c);
        const Mat<S> scaled = Pi * lambda.asDiagonal();
        const Mat<S> PLP = scaled * Pi.transpose();
        const Vec<S> shift = Pi * (gradient.transpose() +
                                   lambda.transpose().cwiseProduct(Pi.transpose() * m.col(c)));
        target.precision += average * whole * PLP.template cast<double>();
        target.shift += average * whole * shift.template cast<double>();
      }
    }
    natural[at(c)].step(target, rho);
    Vec<double> new_m;
    Mat<double> new_Ls;
    natural[at(c)].moments(new_m, new_Ls, fmt::format("the precision of q(u_t) of output {}", c));
    m.col(c) = new_m.template cast<S>();
    Ls[at(c)] = new_Ls.template cast<S>();
  });
}

}  // namespace

template <class S>
Carried<S> first_start(const RowMat<S>& X, const Options& o) {
  Carried<S> start;
  start.hyper.mean = start_theta(X, o);
  if (o.hyper == HyperTreatment::kPosterior)
    start.hyper.logvar = Mat<S>::Constant(start.hyper.mean.rows(), 1,
                                          static_cast<S>(2 * std::log(o.theta_deviation)));
  start.log_noise = Mat<S>::Constant(1, 1, static_cast<S>(std::log(o.noise)));
  return start;
}

template <class S>
TaskLearner<S>::TaskLearner(const Options& options, const std::vector<InducingBlock<S>>& frozen,
                            const Carried<S>& start, const HyperPosterior<S>& prior,
                            const RowMat<S>& X, const Mat<S>& Y)
    : o_(options),
      frozen_(frozen),
      prior_(prior),
      X_(X),
      Y_(Y),
      groups_{options.shared, Y.rows()},
      likelihood_(make_likelihood<S>(options.likelihood)),
      carried_(start),
      optimizer_(
          {options.rule == UpdateRule::kYogi ? Rule::kYogi : Rule::kAdam, options.learning_rate}) {
  for (Index g = 0; g < groups_.count(); ++g)
    Z_.push_back(
        start_inducing(X, o_, Random(o_.seed, Purpose::kInducing, std::ssize(frozen), 0, g)));
  const Index M = Z_.front().rows();
  m_ = Mat<S>::Zero(M, groups_.C);
  for (Index c = 0; c < groups_.C; ++c) {
    if (o_.inference == Inference::kNatural) {
      Ls_.push_back(Mat<S>::Identity(M, M));
      natural_.push_back({Mat<double>::Identity(M, M), Vec<double>::Zero(M)});
    } else {
      packed_.push_back(packed_identity<S>(M));
    }
  }
}

template <class S>
InducingBlock<S> TaskLearner<S>::block() const {
  InducingBlock<S> block{Z_, m_, Ls_};
  for (const Mat<S>& v : packed_) {
    Tape<S> tape;
    block.Ls.push_back(lower_from_vector(tape.constant_ref(v), m_.rows()).value());
  }
  return block;
}

template <class S>
typename TaskLearner<S>::Values TaskLearner<S>::step(const Index* rows, Index count) {
  try {
    const Values values = move(rows, count);
    ++step_;
    return values;
  } catch (const NumericalError& e) {
    throw NumericalError(
        fmt::format("task {}, step {}: {}", std::ssize(frozen_) + 1, step_ + 1, e.what()));
  }
}

template <class S>
typename TaskLearner<S>::Values TaskLearner<S>::move(const Index* rows, Index count) {
  const Index t = std::ssize(frozen_), D = X_.cols(), C = groups_.C, M = m_.rows();
  const bool natural = o_.inference == Inference::kNatural;
  const bool moves_hyper = o_.hyper != HyperTreatment::kFixed;
  const bool moves_noise = o_.learn_noise && likelihood_->has_noise();
  Chunks<S> chunks = gather(X_, Y_, rows, count, o_.shared ? kChunkShared : kChunkPerClass);
  Batch<S> batch;
  batch.X = std::move(chunks.X);
  batch.Y = std::move(chunks.Y);
  batch.N = X_.rows();

  Tape<S> tape;
  Moving<S> moving(tape);
  TaskVars<S> q;
  for (Mat<S>& Z : Z_) q.Z.push_back(moving.enter(Z, o_.learn_inducing));
  q.m = moving.enter(m_, !natural);
  for (Mat<S>& Ls : Ls_) q.Ls.push_back(moving.enter(Ls, false));
  for (Mat<S>& v : packed_) q.Ls.push_back(lower_from_vector(moving.enter(v, true), M));
  HyperPosterior<S>& hyper = carried_.hyper;
  const Var<S> mean = moving.enter(hyper.mean, moves_hyper);
  Var<S> logvar;
  if (hyper.logvar.size() > 0) logvar = moving.enter(hyper.logvar, moves_hyper);
  q.log_noise = moving.enter(carried_.log_noise, moves_noise);
  const Index samples = logvar.valid() ? o_.theta_samples : 1;
  q.theta = sample_theta<S>(
      mean, logvar,
      Random(o_.seed, Purpose::kTheta, t, step_).normals<S>(hyper.mean.rows(), samples), D);
  q.kl_hyper = logvar.valid() ? kl_diagonal(mean, logvar, prior_.mean, prior_.logvar)
                              : tape.constant(Mat<S>::Zero(1, 1));
  if (likelihood_->samples()) {
    const Index pieces = std::ssize(batch.X);
    batch.noise.assign(at(samples), std::vector<Noise<S>>(batch.X.size()));
    parallel_for(samples * pieces, [&](Index lane) {
      Random random(o_.seed, Purpose::kFunction, t, step_, lane);
      auto& noise = batch.noise[at(lane / pieces)][at(lane % pieces)];
      for (Index f = 0; f < o_.function_samples; ++f)
        noise.push_back(random.normals<S>(C, batch.Y[at(lane % pieces)].cols()));
    });
  }

  const Bound<S> b = bound(tape, frozen_, q, groups_, *likelihood_, batch, o_.beta, o_.jitter);
  const auto value = [](const Var<S>& v) { return static_cast<double>(v.value()(0)); };
  const Values values{-value(b.loss), value(b.ell), value(b.kl_u), value(b.kl_hyper)};
  if (!std::isfinite(values.bound))
    throw NumericalError(fmt::format(
        "the bound is not finite: expected log-likelihood {:g}, KL of u {:g}, KL of theta {:g}",
        values.ell, values.kl_u, values.kl_hyper));
  if (!moving.empty()) tape.backward(b.loss);
  if (natural) {
    const double rho = std::pow(static_cast<double>(step_ + 1), -o_.natural_decay);
    natural_step(b, batch, groups_, *likelihood_, carried_.log_noise(0), rho, natural_, m_, Ls_);
  }
  if (!moving.empty()) moving.step(optimizer_);
  return values;
}

template Carried<float> first_start(const RowMat<float>&, const Options&);
template Carried<double> first_start(const RowMat<double>&, const Options&);
template class TaskLearner<float>;
template class TaskLearner<double>;

}  // namespace vargp
