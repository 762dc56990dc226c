#include "cli/run_progress.h"

#include "vargp/io/record.h"

namespace vargp {

RunProgress::RunProgress(const std::filesystem::path& folder, Json names)
    : path_(folder / "progress.json"), names_(std::move(names)) {}

void RunProgress::task_done(const TaskResult& result) const {
  Json record = names_;
  record["runs"] = {result.so_far};
  write_record(path_, record);
}

void RunProgress::remove() const { std::filesystem::remove(path_); }

}  // namespace vargp
