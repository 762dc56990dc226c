#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "vargp/data/mnist.h"

namespace vargp {

void add_data(CLI::App& app) {
  CLI::App* data = app.add_subcommand("data", "Get the data sets of the experiments");
  data->require_subcommand(1);
  CLI::App* fetch_command =
      data->add_subcommand("fetch", "Get a data set, unless it is there already");
  auto name = std::make_shared<std::string>();
  fetch_command->add_option("name", *name, "mnist or fashion-mnist")
      ->required()
      ->check(CLI::IsMember({"mnist", "fashion-mnist"}));
  fetch_command->callback([name] { fmt::print("{} is in {}\n", *name, fetch(*name).string()); });
}

}  // namespace vargp
