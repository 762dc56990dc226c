// Every setting of every model as an option of a command.
#pragma once

#include <CLI/CLI.hpp>

#include "vargp/experiment/series.h"

namespace vargp {

// What is given goes to spec.changed; spec must outlive the command.
void add_setting_options(CLI::App& command, RunSpec& spec);

}  // namespace vargp
