#include "cli/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "cli/interrupt.h"
#include "cli/show.h"
#include "vargp/core/error.h"

namespace vargp {
namespace {

constexpr const char* kStopped = "vargp: stopped; the same command goes on from what was saved\n";

}  // namespace

int side_by_side_of(int jobs) {
  require(jobs >= 0, "--jobs {}: must be 0 (one for every core) or above", jobs);
  return jobs > 0 ? jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void run_jobs(const std::vector<Job>& jobs, int side_by_side) {
  const Interrupt interrupt(kStopped);
  const int threads =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / side_by_side);
  std::atomic<std::size_t> next = 0;
  std::mutex output;
  std::exception_ptr failure;
  const auto one = [&](const Job& job, std::size_t number) {
    const std::string name = fmt::format("  {:>3}/{} {}, {}, seed {}", number, jobs.size(),
                                         job.name, job.spec.experiment, job.spec.seed);
    SeriesHooks hooks;
    hooks.stop_wanted = [&] { return interrupt.requested(); };
    hooks.stop = [] { throw Interrupted{kStopped}; };
    const auto clock = std::chrono::steady_clock::now();
    try {
      SeriesOptions series;
      series.out = job.folder;
      series.threads = threads;
      series.resume = true;
      const Json summary = run_series(job.spec, series, hooks);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - clock;
      const std::lock_guard lock(output);
      fmt::print("{}: {:.2f} % in {}\n", name,
                 100 * summary["final_accuracy"]["mean"].get<double>(), duration(took.count()));
      std::fflush(stdout);
    } catch (const Interrupted&) {
      next = jobs.size();
      const std::lock_guard lock(output);
      failure = std::current_exception();
    } catch (const std::exception& error) {
      const std::lock_guard lock(output);
      fmt::print(stderr, "{}: {}\n", name, error.what());
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int w = 0; w < side_by_side; ++w)
      workers.emplace_back([&] {
        for (std::size_t j = next++; j < jobs.size(); j = next++)
          if (!jobs[j].done) one(jobs[j], j + 1);
      });
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace vargp
