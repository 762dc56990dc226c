// The report as a page that a browser on this machine can look at while runs go on.
#pragma once

#include <filesystem>
#include <vector>

namespace vargp {

// Serves it on the loopback address until Ctrl-C. port 0: any that is free.
void watch_report(const std::vector<std::filesystem::path>& records, int port);

}  // namespace vargp
