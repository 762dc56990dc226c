// The experiments that can be run by name, and the settings each of their presets stands for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vargp/data/stream.h"
#include "vargp/models/options.h"

namespace vargp {

struct ExperimentInfo {
  std::string name, description;
};
std::vector<ExperimentInfo> experiments();

// The stream of tasks of an experiment. tasks: of a permuted one. order: classes of each task,
// "0,1|2,3", empty for the usual. data: folder of its files, empty for the cache.
struct StreamOptions {
  Index tasks = 10;
  std::string order;
  std::filesystem::path data;
  std::uint64_t seed = 1;
  bool joint = false;  // all tasks as one
};
Stream make_stream(const std::string& experiment, const StreamOptions& options);

// quick, default, best or paper, for one experiment and model.
Options preset(const std::string& experiment, ModelKind model, const std::string& name);

}  // namespace vargp
