// Runs as people ask for them: an experiment, a model, a preset with some settings changed, several
// seeds. A series is left at any time with a checkpoint in its folder, goes on from it to the same
// bits, and leaves record.json there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "vargp/experiment/choice.h"
#include "vargp/experiment/presets.h"
#include "vargp/experiment/runner.h"
#include "vargp/io/record.h"

namespace vargp {

struct RunSpec {
  std::string experiment, model = "coupled", preset = "default", validation = "task",
                          regime = "continual", evaluate = "test";
  std::uint64_t seed = 1;
  int seeds = 1;
  StreamOptions stream;                               // its seed is that of the run
  std::vector<std::pair<std::string, Json>> changed;  // settings that override the preset
};

// The preset (by name, or a file with "settings") with what was changed; the seed is the first.
ModelChoice choice_of(const RunSpec& spec);

// What run() needs for the first seed.
RunOptions run_options_of(const RunSpec& spec, int threads);
Stream stream_of(const RunSpec& spec);

// All that the numbers of a series depend on.
Json identity_of(const RunSpec& spec);

struct SeriesOptions {
  std::filesystem::path out;  // made if it is not there
  int threads = 0;
  bool resume = false;  // from the checkpoint in that folder, if there is one
  double checkpoint_minutes = 3;
};

struct SeriesHooks {
  std::function<void(std::uint64_t seed, Index tasks)> begin;  // before every seed
  ProgressCallback progress;
  std::function<void(const TaskResult&)> task_done;
  std::function<void(const std::string&)> note;  // something that people should know
  // Asked between steps. Where the answer is yes a checkpoint is written and stop() is called,
  // which throws.
  std::function<bool()> stop_wanted;
  std::function<void()> stop;
};

// The summary that it wrote to record.json.
Json run_series(const RunSpec& spec, const SeriesOptions& options, const SeriesHooks& hooks);

}  // namespace vargp
