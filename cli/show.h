// How numbers, tables and pictures look in a terminal.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

std::string grouped(Index number);             // 1,234,567
std::string size_of_bytes(std::size_t bytes);  // 3.4 MB
std::string duration(double seconds);          // 3.4 s, 1:05 min

// Columns that are as wide as what is in them. The first is set left, the others right, unless the
// alignment (l or r for each column) says otherwise.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head, std::string alignment = "");
  void add(std::vector<std::string> row);
  std::string text(std::string_view indent = "  ") const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::string alignment_;
};

// Pictures side by side, in shades of block characters; each is [rows, cols] from 0 (blank) to 1.
std::string blocks(const std::vector<RowMat<double>>& pictures, std::string_view indent = "  ");

// Pictures in rows on one sheet, as a PNG file (or PGM, by the name's ending).
void write_sheet(const std::filesystem::path& path, const std::vector<RowMat<double>>& pictures,
                 Index across);

}  // namespace vargp
