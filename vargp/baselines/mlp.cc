#include "vargp/baselines/mlp.h"

#include <algorithm>
#include <numeric>

#include "vargp/baselines/fit.h"
#include "vargp/core/parallel.h"
#include "vargp/eval/metrics.h"
#include "vargp/likelihoods/softmax.h"
#include "vargp/models/model.h"
#include "vargp/optim/optimizer.h"

namespace vargp {
namespace {

std::vector<int> as_labels(const std::vector<Index>& classes) {
  return {classes.begin(), classes.end()};
}

}  // namespace

// The weights while a task is learned.
struct Mlp::Moving {
  const Mlp& before;
  const Dataset& train;
  const Dataset& replayed;
  std::vector<int> classes;
  Weights<float> W;
  Optimizer<float> optimizer;
  PathIntegral<float> path;  // of si

  double step(const Index* rows, Index count, Index step) {
    const BaselineOptions& o = before.o_;
    NetworkBatch<float> batch;
    batch.add(train, rows, count, classes);
    if (replayed.size() > 0) {
      Random random(o.seed, Purpose::kReplay, before.tasks_, step);
      std::vector<Index> picks;
      for (Index i = 0; i < count; ++i) picks.push_back(random.below(replayed.size()));
      batch.add(replayed, picks.data(), count, classes);
    }
    Tape<float> tape;
    std::vector<Var<float>> layers;
    std::vector<Mat<float>*> parameters;
    for (Mat<float>& w : W) {
      layers.push_back(tape.variable(w));
      parameters.push_back(&w);
    }
    const Var<float> nll = mean_nll(tape, layers, batch);
    tape.backward(nll);
    Weights<float> gradient;
    for (const Var<float>& layer : layers) gradient.push_back(layer.grad());
    auto loss = static_cast<double>(nll.value()(0));
    const bool si = o.model == BaselineKind::kSi;
    const Weights<float> of_data = si ? gradient : Weights<float>{}, from = si ? W : of_data;
    // ewc's penalty belongs to the sum over the task's points, of which this is the mean.
    const double weight = si ? 1 : 1 / static_cast<double>(train.size());
    loss += before.penalty_.add(W, weight, gradient);
    optimizer.step(parameters, gradient);
    if (si) path.add(from, W, of_data);
    return loss;
  }

  template <class Archive>
  void fields(Archive& a) {
    a("W", W);
    a("optimizer", optimizer);
    a("path", path);
  }
};

Mlp::Mlp(const BaselineOptions& options, Index D, int C, int threads)
    : o_(options), D_(D), C_(C), threads_(threads) {
  o_.validate();
  Index in = D;
  for (const Index width : o_.hidden) {
    body_.push_back(
        start_layer<float>(in, width, Random(o_.seed, Purpose::kWeights, 0, std::ssize(body_))));
    in = width;
  }
  if (o_.heads == Heads::kSingle) {
    std::vector<Index> all(static_cast<std::size_t>(C));
    std::iota(all.begin(), all.end(), Index{0});
    heads_.push_back(start_head(all, 0));
  }
}

Mlp::Head Mlp::start_head(const std::vector<Index>& classes, Index task) const {
  const Index in = o_.hidden.empty() ? D_ : o_.hidden.back();
  return {classes, start_layer<float>(in, std::ssize(classes),
                                      Random(o_.seed, Purpose::kWeights, task, std::ssize(body_)))};
}

Mlp::Head Mlp::head_for(const Dataset& train) const {
  if (o_.heads == Heads::kSingle) return heads_.front();
  std::vector<Index> classes(train.y.begin(), train.y.end());
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return start_head(classes, tasks_);
}

LearnReport Mlp::learn(const Dataset& train, const Dataset& validation, const LearnHooks& hooks) {
  LearnReport report;
  with_threads(threads_, [&] {
    Head head = head_for(train);
    const Dataset replayed = together(buffer_, C_);
    Weights<float> W = body_;
    W.push_back(head.W);
    Moving moving{*this,
                  train,
                  replayed,
                  as_labels(head.classes),
                  std::move(W),
                  Optimizer<float>({Rule::kAdam, o_.learning_rate}),
                  {}};
    FitProgress at;
    report = fit(
        moving, at, o_, tasks_, train.size(),
        [&] {
          if (validation.size() == 0) return std::numeric_limits<double>::quiet_NaN();
          return accuracy(probabilities_of(moving.W, head.classes, validation.X), validation.y);
        },
        hooks);
    QuadraticPenalty penalty = penalty_after(moving, train);
    std::vector<KeptRows> buffer = buffer_after(train);
    // From here on nothing fails: the task becomes part of the model.
    head.W = std::move(moving.W.back());
    moving.W.pop_back();
    body_ = std::move(moving.W);
    if (o_.heads == Heads::kSingle) heads_.clear();
    heads_.push_back(std::move(head));
    penalty_ = std::move(penalty);
    buffer_ = std::move(buffer);
    ++tasks_;
  });
  report.outputs = C_;
  return report;
}

QuadraticPenalty Mlp::penalty_after(const Moving& moving, const Dataset& train) const {
  QuadraticPenalty out = penalty_;
  const bool ewc = o_.model == BaselineKind::kEwc;
  if (!ewc && o_.model != BaselineKind::kSi) return out;
  const std::size_t layers = o_.heads == Heads::kSingle ? body_.size() + 1 : body_.size();
  if (out.P.empty())
    for (std::size_t l = 0; l < layers; ++l) {
      out.P.push_back(Mat<float>::Zero(moving.W[l].rows(), moving.W[l].cols()));
      out.Q.push_back(out.P.back());
    }
  const auto strength = static_cast<float>(o_.strength);
  if (ewc) {
    const Weights<float> F = fisher(moving.W, train.X, o_.seed, tasks_);
    for (std::size_t l = 0; l < layers; ++l) {
      out.P[l] += strength * F[l];
      out.Q[l] += strength * F[l].cwiseProduct(moving.W[l]);
    }
    return out;
  }
  for (std::size_t l = 0; l < layers; ++l) {
    const Mat<float>& start = l < body_.size() ? body_[l] : heads_.front().W;
    const auto moved = (moving.W[l] - start).array().square() + static_cast<float>(o_.damping);
    out.P[l].array() += 2 * strength * moving.path.omega[l].array().max(0.0F) / moved;
    out.Q[l] = out.P[l].cwiseProduct(moving.W[l]);
  }
  return out;
}

std::vector<KeptRows> Mlp::buffer_after(const Dataset& train) const {
  std::vector<KeptRows> out = buffer_;
  if (o_.model != BaselineKind::kReplay) return out;
  const Index share = o_.buffer / (tasks_ + 1);  // the same for every task
  for (KeptRows& rows : out) {
    const Index n = std::min(share, rows.size());
    rows.X = RowMat<float>(rows.X.topRows(n));
    rows.y.resize(static_cast<std::size_t>(n));
  }
  out.push_back(keep(train, choose_rows(train.X, share, CoresetChoice::kRandom,
                                        Random(o_.seed, Purpose::kKeptRows, tasks_))));
  return out;
}

Mat<double> Mlp::probabilities_of(const Weights<float>& W, const std::vector<Index>& classes,
                                  const RowMat<float>& X) const {
  Mat<double> out = Mat<double>::Zero(X.rows(), C_);
  for_each_chunk<float>(X, [&](const Mat<float>& chunk, Index first, Index count) {
    Tape<float> tape;
    std::vector<Var<float>> layers;
    for (const Mat<float>& w : W) layers.push_back(tape.constant_ref(w));
    const Mat<float> p = softmax<float>(network(layers, tape.constant(chunk.transpose())).value());
    for (std::size_t c = 0; c < classes.size(); ++c)
      out.col(classes[c]).segment(first, count) =
          p.row(static_cast<Index>(c)).head(count).transpose().cast<double>();
  });
  return out;
}

Mat<double> Mlp::probabilities(const RowMat<float>& X, Index task) const {
  const std::size_t head = o_.heads == Heads::kSingle ? 0 : static_cast<std::size_t>(task);
  // A head that nothing has been learned for knows nothing.
  if (head >= heads_.size()) return Mat<double>::Constant(X.rows(), C_, 1.0 / C_);
  Weights<float> W = body_;
  W.push_back(heads_[head].W);
  Mat<double> out;
  with_threads(threads_, [&] { out = probabilities_of(W, heads_[head].classes, X); });
  return out;
}

Index Mlp::raw_rows() const {
  Index rows = 0;
  for (const KeptRows& part : buffer_) rows += part.size();
  return rows;
}

State Mlp::state() const {
  State out;
  StateWriter writer(out);
  writer("mlp", *this);
  return out;
}

void Mlp::read(State& state) {
  Mlp in(o_, D_, C_, threads_);
  StateReader reader(state);
  reader("mlp", in);
  *this = std::move(in);
}

}  // namespace vargp
