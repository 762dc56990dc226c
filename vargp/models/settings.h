// Options as text: every setting by its name, for the command line, for preset files and for
// records. One table serves all three.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "vargp/models/options.h"

namespace vargp {

struct Setting {
  std::string name;  // as in Options, with dashes: "learning-rate"
  std::string help;  // what it is, for people
};

// All settings, in the order of Options.
std::vector<Setting> settings();

// Sets one by name. Unknown names and values that do not fit give an error that says what would.
void set(Options& options, std::string_view name, const nlohmann::json& value);

nlohmann::ordered_json to_json(const Options& options);

}  // namespace vargp
