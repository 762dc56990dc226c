// The subcommands; each adds itself to the program and does its work when it is parsed.
#pragma once

#include <CLI/CLI.hpp>

namespace vargp {

void add_learn(CLI::App& app);
void add_predict(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_inspect(CLI::App& app);
void add_run(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_tune(CLI::App& app);
void add_data(CLI::App& app);
void add_report(CLI::App& app);

}  // namespace vargp
