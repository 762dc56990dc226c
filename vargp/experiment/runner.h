// Runs a stream of tasks through a model, and measures everything on every task after each.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "vargp/data/stream.h"
#include "vargp/experiment/choice.h"
#include "vargp/io/state.h"
#include "vargp/models/report.h"

namespace vargp {

struct RunOptions {
  std::string experiment, preset;
  ModelChoice options;
  int threads = 0;
  bool validation_seen = false;  // validate on all tasks seen, as the authors did; else on the
                                 // current one only, so that nothing of an earlier task is used
  Regime regime = Regime::kContinual;  // joint: the stream has been joined already
  bool on_validation = false;          // accuracies on validation points, to choose settings by
};

// What can be told after a task.
struct TaskResult {
  Index task = 0, tasks = 0;
  LearnReport report;
  double accuracy_so_far = 0;  // over all test points of the tasks seen
  double evaluate_seconds = 0;
  nlohmann::ordered_json so_far;  // what the record of this seed will hold of the tasks until now
};

struct RunCallbacks {
  ProgressCallback progress;
  std::function<void(const TaskResult&)> task_done;
  // Called between steps, and once with task_learned after every task. It may throw to leave the
  // run. What `state` gives is all that is needed to go on from there; where there is no `state`,
  // nothing new is worth keeping.
  std::function<void(const std::function<State()>& state, bool task_learned)> pause;
};

// The record of one seed: settings, accuracy_matrix, entropy_matrix, everything derived from them,
// times and sizes; how each task was learned, some of its inducing points as pictures,
// lengthscales. For the toy data also the points, and the class probabilities on a grid after each
// task. With resume it goes on from a state that pause was given (and takes it apart), and ends
// with the same record but for times.
nlohmann::ordered_json run(const Stream& stream, const RunOptions& options,
                           const RunCallbacks& callbacks, State* resume = nullptr);

// The records of several seeds in one: the first's settings, all runs, and mean and standard
// deviation of each figure.
nlohmann::ordered_json summarise(const std::vector<nlohmann::ordered_json>& runs);

}  // namespace vargp
