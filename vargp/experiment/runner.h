// Runs a stream of tasks through a model, and measures everything on every task after each.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "vargp/data/stream.h"
#include "vargp/models/options.h"
#include "vargp/models/report.h"

namespace vargp {

struct RunOptions {
  std::string experiment, preset;
  Options options;
  int threads = 0;
  bool validation_seen = false;  // validate on all tasks seen, as the authors did; else on the
                                 // current one only, so that nothing of an earlier task is used
};

// What can be told after a task.
struct TaskResult {
  Index task = 0, tasks = 0;
  LearnReport report;
  double accuracy_so_far = 0;  // over all test points of the tasks seen
  double evaluate_seconds = 0;
};

struct RunCallbacks {
  ProgressCallback progress;
  std::function<void(const TaskResult&)> task_done;
};

// The record of one seed: settings, accuracy_matrix, entropy_matrix, everything derived from them,
// times and sizes. For the toy data also the class probabilities on a grid after each task.
nlohmann::ordered_json run(const Stream& stream, const RunOptions& options,
                           const RunCallbacks& callbacks);

// The records of several seeds in one: the first's settings, all runs, and mean and standard
// deviation of each figure.
nlohmann::ordered_json summarise(const std::vector<nlohmann::ordered_json>& runs);

}  // namespace vargp
