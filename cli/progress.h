// What a person sees while a run goes on: one line that renews itself on a terminal, plain lines
// elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "vargp/experiment/runner.h"

namespace vargp {

class ProgressDisplay {
 public:
  ProgressDisplay(Index tasks, std::string title);

  void epoch(const Progress& progress);
  void task_done(const TaskResult& result);
  void clear();  // the line that renews itself

 private:
  bool terminal_;
  Index tasks_;
  std::chrono::steady_clock::time_point start_, task_start_;
  Index first_ = 0;        // epochs that were there when the task was taken up
  std::size_t width_ = 0;  // of the line that is shown
};

}  // namespace vargp
