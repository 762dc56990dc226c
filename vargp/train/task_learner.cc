#include "vargp/train/task_learner.h"

#include <algorithm>
#include <cmath>

#include "vargp/core/error.h"
#include "vargp/core/linalg.h"
#include "vargp/core/normals.h"
#include "vargp/kernels/deep.h"
#include "vargp/likelihoods/gaussian.h"
#include "vargp/likelihoods/softmax.h"
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

// Hidden layers and features of the paper's deep kernel.
const std::vector<Index> kNetwork = {256, 256, 64};

// v with lower_from_vector(v) = Ls: row by row, softplus^-1 of the diagonal.
template <class S>
Mat<S> packed_from(const Mat<S>& Ls) {
  const Index M = Ls.rows();
  Mat<S> v(M * (M + 1) / 2, 1);
  for (Index i = 0, k = 0; i < M; ++i)
    for (Index j = 0; j <= i; ++j, ++k) v(k) = Ls(i, j);
  for (Index i = 0; i < M; ++i) {
    const double a = static_cast<double>(Ls(i, i));
    v(i * (i + 1) / 2 + i) = static_cast<S>(a + std::log(-std::expm1(-a)));
  }
  return v;
}

// M inducing inputs for the tasks 0 .. t out of those of the tasks before and the new points: each
// task has the same share, and which of the old ones stay is drawn.
template <class S>
Mat<S> start_among(const RowMat<S>& X, const Mat<S>& old, Index t, const Options& o,
                   Random random) {
  const Index kept = std::min(old.rows(), o.inducing * t / (t + 1));
  Options fresh = o;
  fresh.inducing = std::max<Index>(1, o.inducing - kept);
  const Mat<S> added = start_inducing(X, fresh, random);
  const std::vector<Index> order = random.permutation(old.rows());
  Mat<S> Z(kept + added.rows(), X.cols());
  for (Index i = 0; i < kept; ++i) Z.row(i) = old.row(order[at(i)]);
  Z.bottomRows(added.rows()) = added;
  return Z;
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

  // For every (s, g): P = L_tt^-T W_t, and what the bound has besides the data, brought from
  // w = L_tt^-1 u_t to u_t: L_tt^-T (I + Q) L_tt^-1 and L_tt^-T r.
  std::vector<std::vector<Mat<S>>> P(at(samples * groups.count()));
  std::vector<Mat<double>> inverses(P.size()), C_inverse(P.size());
  parallel_for(static_cast<Index>(P.size()), [&](Index unit) {
    const auto& part = b.parts[at(unit / groups.count())][at(unit % groups.count())];
    const Mat<S>& L = part.L_tt.value();
    for (const Var<S>& W : part.W) {
      P[at(unit)].push_back(W.value().bottomRows(M));
      solve_lower_transposed<S>(L, P[at(unit)].back());
    }
    Mat<double>& inverse = inverses[at(unit)] = Mat<double>::Identity(M, M);
    solve_lower<double>(L.template cast<double>(), inverse);
    C_inverse[at(unit)].noalias() = inverse.transpose() * inverse;
  });

  parallel_for(groups.C, [&](Index c) {
    const Index g = groups.shared ? 0 : c;
    NaturalParameters target{Mat<double>::Zero(M, M), Vec<double>::Zero(M)};
    for (Index s = 0; s < samples; ++s) {
      const Index unit = s * groups.count() + g;
      const auto& part = b.parts[at(s)][at(g)];
      const Mat<double>& inverse = inverses[at(unit)];
      const Index column = c - groups.first(g);
      target.precision += average * C_inverse[at(unit)];
      if (!part.Q.empty()) {
        const Mat<double> Q = part.Q[at(column)].template cast<double>();
        target.precision += average * inverse.transpose() * Q * inverse;
      }
      target.shift += average * inverse.transpose() * part.r.col(column).template cast<double>();
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
  if (variant_of(o.model).deep) {
    start.phi = start_network<S>(X.cols(), kNetwork, Random(o.seed, Purpose::kWeights));
    // The median distance needs no more points than these.
    const Mat<S> some = X.topRows(std::min<Index>(X.rows(), 512));
    start.hyper.mean = start_theta(RowMat<S>(features(start.phi, some)), o);
  } else {
    start.hyper.mean = start_theta(X, o);
  }
  if (o.hyper == HyperTreatment::kPosterior)
    start.hyper.logvar = Mat<S>::Constant(start.hyper.mean.rows(), 1,
                                          static_cast<S>(2 * std::log(o.theta_deviation)));
  start.log_noise = Mat<S>::Constant(1, 1, static_cast<S>(std::log(o.noise)));
  return start;
}

template <class S>
InducingBlock<S> FreeBlock<S>::block() const {
  InducingBlock<S> out{Z, m, Ls};
  for (const Mat<S>& v : packed) {
    Tape<S> tape;
    out.Ls.push_back(lower_from_vector(tape.constant_ref(v), m.rows()).value());
  }
  return out;
}

template <class S>
BlockEntry<S> FreeBlock<S>::enter(Moving<S>& moving, bool moves_Z) {
  BlockEntry<S> out;
  for (Mat<S>& z : Z) out.Z.push_back(moving.enter(z, moves_Z));
  out.m = moving.enter(m, !packed.empty());
  for (Mat<S>& factor : Ls) out.Ls.push_back(moving.enter(factor, false));
  for (Mat<S>& v : packed) out.Ls.push_back(lower_from_vector(moving.enter(v, true), m.rows()));
  return out;
}

template <class S>
TaskLearner<S>::TaskLearner(const Options& options, Index t,
                            const std::vector<InducingBlock<S>>& old, const Carried<S>& start,
                            const HyperPosterior<S>& prior, const RowMat<S>& X, const Mat<S>& Y)
    : o_(options),
      variant_(variant_of(options.model)),
      t_(t),
      old_(old),
      prior_(prior),
      X_(X),
      Y_(Y),
      groups_{options.shared, Y.rows()},
      likelihood_(make_likelihood<S>(options.likelihood)),
      carried_(start),
      optimizer_(
          {options.rule == UpdateRule::kYogi ? Rule::kYogi : Rule::kAdam, options.learning_rate}) {
  const bool replaced = variant_.old == OldBlocks::kReplaced && !old.empty();
  for (Index g = 0; g < groups_.count(); ++g) {
    const Random random(o_.seed, Purpose::kInducing, t, 0, g);
    if (replaced && g < std::ssize(old.back().Z))
      own_.Z.push_back(start_among(X, old.back().Z[at(g)], t, o_, random));
    else
      own_.Z.push_back(start_inducing(X, o_, random));
  }
  const Index M = own_.Z.front().rows();
  own_.m = Mat<S>::Zero(M, groups_.C);
  for (Index c = 0; c < groups_.C; ++c) {
    if (o_.inference == Inference::kNatural) {
      own_.Ls.push_back(Mat<S>::Identity(M, M));
      own_.natural.push_back({Mat<double>::Identity(M, M), Vec<double>::Zero(M)});
    } else {
      own_.packed.push_back(packed_from<S>(Mat<S>::Identity(M, M)));
    }
  }
  if (variant_.old == OldBlocks::kMoving)
    for (const InducingBlock<S>& block : old) {
      FreeBlock<S>& free = moving_.emplace_back(FreeBlock<S>{block.Z, block.m, {}, {}, {}});
      for (const Mat<S>& Ls : block.Ls) free.packed.push_back(packed_from(Ls));
    }
  if (variant_.deep && o_.phi_penalty > 0)
    for (const InducingBlock<S>& block : old)
      for (const Mat<S>& Z : block.Z) old_features_.push_back(features(start.phi, Z));
}

template <class S>
std::vector<InducingBlock<S>> TaskLearner<S>::blocks() const {
  std::vector<InducingBlock<S>> out;
  if (variant_.old == OldBlocks::kFrozen) out = old_;
  for (const FreeBlock<S>& block : moving_) out.push_back(block.block());
  out.push_back(own_.block());
  return out;
}

template <class S>
typename TaskLearner<S>::Values TaskLearner<S>::step(const Index* rows, Index count) {
  try {
    const Values values = move(rows, count);
    ++step_;
    return values;
  } catch (const NumericalError& e) {
    throw NumericalError(fmt::format("task {}, step {}: {}", t_ + 1, step_ + 1, e.what()));
  }
}

template <class S>
typename TaskLearner<S>::Values TaskLearner<S>::move(const Index* rows, Index count) {
  const Index C = groups_.C;
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
  static_cast<BlockEntry<S>&>(q) = own_.enter(moving, o_.learn_inducing);
  for (FreeBlock<S>& block : moving_) q.moving.push_back(block.enter(moving, o_.learn_inducing));
  for (Mat<S>& p : carried_.phi) q.phi.push_back(moving.enter(p, true));
  q.old_features = old_features_;
  HyperPosterior<S>& hyper = carried_.hyper;
  const Var<S> mean = moving.enter(hyper.mean, moves_hyper);
  Var<S> logvar;
  if (hyper.logvar.size() > 0) logvar = moving.enter(hyper.logvar, moves_hyper);
  q.log_noise = moving.enter(carried_.log_noise, moves_noise);
  const Index samples = logvar.valid() ? o_.theta_samples : 1;
  q.theta = sample_theta<S>(
      mean, logvar,
      Random(o_.seed, Purpose::kTheta, t_, step_).normals<S>(hyper.mean.rows(), samples),
      kernel_inputs(carried_.phi, X_.cols()));
  q.kl_hyper = logvar.valid() ? kl_diagonal(mean, logvar, prior_.mean, prior_.logvar)
                              : tape.constant(Mat<S>::Zero(1, 1));
  if (likelihood_->samples()) {
    const Index pieces = std::ssize(batch.X);
    batch.noise.assign(at(samples), std::vector<Noise<S>>(batch.X.size()));
    parallel_for(samples * pieces, [&](Index lane) {
      Random random(o_.seed, Purpose::kFunction, t_, step_, lane);
      auto& noise = batch.noise[at(lane / pieces)][at(lane % pieces)];
      for (Index f = 0; f < o_.function_samples; ++f)
        noise.push_back(fast_normals<S>(random, C, batch.Y[at(lane % pieces)].cols()));
    });
  }

  const Bound<S> b = bound(
      tape, old_, q, groups_, *likelihood_, batch,
      {.variant = variant_, .beta = o_.beta, .jitter = o_.jitter, .phi_penalty = o_.phi_penalty});
  const auto value = [](const Var<S>& v) { return static_cast<double>(v.value()(0)); };
  const Values values{-value(b.loss), value(b.ell), value(b.kl_u), value(b.kl_hyper)};
  if (!std::isfinite(values.bound))
    throw NumericalError(fmt::format(
        "the bound is not finite: expected log-likelihood {:g}, KL of u {:g}, KL of theta {:g}",
        values.ell, values.kl_u, values.kl_hyper));
  if (!moving.empty()) tape.backward(b.loss);
  if (natural) {
    const double rho = std::pow(static_cast<double>(step_ + 1), -o_.natural_decay);
    natural_step(b, batch, groups_, *likelihood_, carried_.log_noise(0), rho, own_.natural, own_.m,
                 own_.Ls);
  }
  if (!moving.empty()) moving.step(optimizer_);
  return values;
}

template Carried<float> first_start(const RowMat<float>&, const Options&);
template Carried<double> first_start(const RowMat<double>&, const Options&);
template struct FreeBlock<float>;
template struct FreeBlock<double>;
template class TaskLearner<float>;
template class TaskLearner<double>;

}  // namespace vargp
