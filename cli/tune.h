// What vargp tune does, for vargp reproduce table-search too.
#pragma once

#include <filesystem>

#include "vargp/experiment/search.h"

namespace vargp {

// Runs the search, with records below `out`, and gives what goes into the preset file: settings,
// validation_accuracy, and the trials of every rung.
Json tune(const Search& search, const std::filesystem::path& out, int side_by_side);

}  // namespace vargp
