#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "cli/show.h"

namespace vargp {
ProgressDisplay::ProgressDisplay(Index tasks, std::string title)
    : terminal_(isatty(STDOUT_FILENO) != 0),
      tasks_(tasks),
      start_(std::chrono::steady_clock::now()),
      task_start_(start_) {
  fmt::print("{}\n", title);
  fmt::print("  task   rows  points  epochs        bound  validation  all seen so far    time\n");
  std::fflush(stdout);
}

void ProgressDisplay::epoch(const Progress& p) {
  if (!terminal_) return;
  if (width_ == 0) first_ = p.epoch - 1;
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - task_start_).count();
  const double left =
      elapsed / static_cast<double>(p.epoch - first_) * static_cast<double>(p.epochs - p.epoch);
  std::string line = fmt::format("  task {}/{}: epoch {}/{}, bound {:.5g}", p.task + 1, tasks_,
                                 p.epoch, p.epochs, p.bound);
  if (std::isfinite(p.validation)) line += fmt::format(", validation {:.2f} %", 100 * p.validation);
  line += fmt::format(", at most {} left for this task", duration(left));
  fmt::print("\r{:<{}}", line, width_);
  width_ = line.size();
  std::fflush(stdout);
}

void ProgressDisplay::clear() {
  if (width_ > 0) fmt::print("\r{:<{}}\r", "", width_);
  width_ = 0;
  std::fflush(stdout);
}

void ProgressDisplay::task_done(const TaskResult& r) {
  clear();
  const std::string validation =
      std::isfinite(r.report.validation) ? fmt::format("{:.2f} %", 100 * r.report.validation) : "-";
  fmt::print("  {:>2}/{:<2} {:>5} {:>7} {:>7} {:>12.5g} {:>11} {:>16} {:>7}\n", r.task + 1, r.tasks,
             r.report.rows, r.report.inducing, r.report.epochs, r.report.bound, validation,
             fmt::format("{:.2f} %", 100 * r.accuracy_so_far), duration(r.report.seconds));
  std::fflush(stdout);
  task_start_ = std::chrono::steady_clock::now();
}

}  // namespace vargp
