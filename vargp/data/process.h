// Runs another program: npm, tar and apt-get fetch data sets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vargp {

struct ProcessResult {
  bool started = false;  // false: there is no such program
  int exit_code = -1;    // 128 + n after signal n
  std::string output;    // what it printed, to standard output and standard error
};

// The program is looked for on the PATH and started in the given folder, without a shell.
ProcessResult run_process(const std::vector<std::string>& command,
                          const std::filesystem::path& folder = ".");

}  // namespace vargp
