// What the commands on people's own data have in common: options that say how a file is read.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "vargp/data/table.h"

namespace vargp {

// Adds --delimiter, --header, --arrays and --labels.
void add_table_options(CLI::App& command, TableOptions& options);
// Adds a list of names with commas between them.
CLI::Option* add_names(CLI::App& command, const std::string& name, std::vector<std::string>& names,
                       const std::string& help);

extern const char* const kFormats;  // the kinds of files, for the help

}  // namespace vargp
