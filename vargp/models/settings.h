// Options as text: every setting by its name, for the command line, for preset files and for
// records. One table serves all three.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "vargp/core/setting_table.h"
#include "vargp/models/options.h"

namespace vargp {

// All settings, in the order of Options.
std::vector<Setting> settings();

// Sets one by name. Unknown names and values that do not fit give an error that says what would.
void set(Options& options, std::string_view name, const nlohmann::json& value);

nlohmann::ordered_json to_json(const Options& options);

}  // namespace vargp
