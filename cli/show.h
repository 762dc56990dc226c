// How pictures look in a terminal, and numbers and tables (text.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vargp/core/types.h"
#include "vargp/io/text.h"

namespace vargp {

// Pictures side by side, in shades of block characters; each is [rows, cols] from 0 (blank) to 1.
std::string blocks(const std::vector<RowMat<double>>& pictures, std::string_view indent = "  ");

// Pictures in rows on one sheet, as a PNG file (or PGM, by the name's ending).
void write_sheet(const std::filesystem::path& path, const std::vector<RowMat<double>>& pictures,
                 Index across);

}  // namespace vargp
