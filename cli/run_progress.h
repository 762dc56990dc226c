// progress.json: the record of a seed that is under way, until record.json has it. So a report can
// be looked at while a run goes on, or made from one that was stopped.
#pragma once

#include <filesystem>

#include "vargp/experiment/runner.h"

namespace vargp {

class RunProgress {
 public:
  // names: experiment, model and preset, as in the record.
  RunProgress(const std::filesystem::path& folder, nlohmann::ordered_json names);

  void task_done(const TaskResult& result) const;
  void remove() const;  // when record.json has all seeds, or the run starts anew

 private:
  std::filesystem::path path_;
  nlohmann::ordered_json names_;
};

}  // namespace vargp
