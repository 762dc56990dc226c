// One task learned by mini-batches: epochs over its points in an order drawn anew for each, left
// between any two steps and taken up again with the same bits.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <utility>

#include "vargp/baselines/options.h"
#include "vargp/core/error.h"
#include "vargp/core/random.h"
#include "vargp/io/state.h"
#include "vargp/models/report.h"

namespace vargp {

// How far the epochs have come.
struct FitProgress {
  Index epochs = 0, steps = 0;
  Index batches = 0;  // of the epoch under way
  double sum = 0;     // of their losses
  double loss = 0;    // mean of the last epoch's
  double seconds = 0;

  template <class Archive>
  void fields(Archive& a) {
    a("epochs", epochs);
    a("steps", steps);
    a("batches", batches);
    a("sum", sum);
    a("loss", loss);
    a("seconds", seconds);
    a.expect(epochs >= 0 && steps >= 0 && batches >= 0, "counts not below 0");
  }
};

// Moving: what the steps move. double step(const Index* rows, Index count, Index step) makes one,
// on these points of N, and gives the loss per point before it; fields() lists all that the next
// step depends on. score: validation accuracy now, looked at some twenty times.
template <class Moving>
LearnReport fit(Moving& moving, FitProgress& at, const BaselineOptions& o, Index task, Index N,
                const std::function<double()>& score, const LearnHooks& hooks) {
  const auto clock = std::chrono::steady_clock::now();
  if (hooks.resume) {
    (*hooks.resume)("moving", moving);
    (*hooks.resume)("at", at);
  }
  const double seconds_before = at.seconds;
  const auto count_seconds = [&] {
    const auto now = std::chrono::steady_clock::now();
    at.seconds = seconds_before + std::chrono::duration<double>(now - clock).count();
  };
  const std::function<void(StateWriter&)> under_way = [&](StateWriter& writer) {
    count_seconds();
    writer("moving", moving);
    writer("at", at);
  };
  while (at.epochs < o.epochs) {
    const auto order = Random(o.seed, Purpose::kBatch, task, at.epochs).permutation(N);
    for (Index first = at.batches * o.batch; first < N; first += o.batch) {
      const double loss = moving.step(order.data() + first, std::min(o.batch, N - first), at.steps);
      if (!std::isfinite(loss))
        throw NumericalError(
            fmt::format("task {}, step {}: the loss is not finite", task + 1, at.steps + 1));
      at.sum += loss;
      ++at.batches;
      ++at.steps;
      if (hooks.step) hooks.step(under_way);
    }
    ++at.epochs;
    at.loss = std::exchange(at.sum, 0) / static_cast<double>(std::exchange(at.batches, 0));
    if (!hooks.progress) continue;
    const bool look = at.epochs % std::max<Index>(1, o.epochs / 20) == 0;
    hooks.progress({task, at.epochs, o.epochs, -at.loss * static_cast<double>(N),
                    look ? score() : std::numeric_limits<double>::quiet_NaN()});
  }
  LearnReport report;
  report.task = task + 1;
  report.rows = N;
  report.epochs = at.epochs;
  report.bound = -at.loss * static_cast<double>(N);
  report.validation = score();
  count_seconds();
  report.seconds = at.seconds;
  return report;
}

}  // namespace vargp
