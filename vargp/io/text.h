// How numbers, names and tables look as text: in a terminal, and in the words of a report.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

std::string grouped(Index number);             // 1,234,567
std::string size_of_bytes(std::size_t bytes);  // 3.4 MB
std::string duration(double seconds);          // 21 ms, 3.4 s, 1:05 min, 2.1 h

// "a, b, c", the first few of them.
std::string listed(std::span<const std::string> names, std::size_t most = 12);

// A name from elsewhere: without control characters, and without those that turn the direction of
// all text after them.
std::string printable(const std::string& text);

// Columns that are as wide as what is in them. The first is set left, the others right, unless the
// alignment (l or r for each column) says otherwise. What is added is made printable.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head, std::string alignment = "");
  void add(std::vector<std::string> row);
  std::string text(std::string_view indent = "  ") const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::string alignment_;
};

}  // namespace vargp
