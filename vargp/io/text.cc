#include "vargp/io/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace vargp {
namespace {

// Characters, not bytes (UTF-8).
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string grouped(Index number) {
  std::string out = std::to_string(number);
  for (Index at = std::ssize(out) - 3; at > (number < 0 ? 1 : 0); at -= 3)
    out.insert(static_cast<std::size_t>(at), 1, ',');
  return out;
}

std::string size_of_bytes(std::size_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1e3) return fmt::format("{} bytes", bytes);
  if (size < 1e6) return fmt::format("{:.1f} kB", size / 1e3);
  if (size < 1e9) return fmt::format("{:.1f} MB", size / 1e6);
  return fmt::format("{:.1f} GB", size / 1e9);
}

std::string duration(double seconds) {
  if (seconds < 0.1) return fmt::format("{:.0f} ms", std::ceil(1e3 * seconds));
  if (seconds < 1) return fmt::format("{:.2f} s", seconds);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  const auto whole = static_cast<Index>(seconds);
  if (seconds < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string listed(std::span<const std::string> names, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    out += (i > 0 ? ", " : "") + names[i];
  if (names.size() > most) out += fmt::format(" and {} more", names.size() - most);
  return out;
}

std::string printable(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view three = std::string_view(text).substr(i, 3);
    if ((three >= "\u202A" && three <= "\u202E") || (three >= "\u2066" && three <= "\u2069"))
      i += 2;
    else if (static_cast<unsigned char>(text[i]) >= ' ' && text[i] != '\x7f')
      out += text[i];
  }
  return out;
}

TextTable::TextTable(std::vector<std::string> head, std::string alignment)
    : rows_{std::move(head)}, alignment_(std::move(alignment)) {
  if (!alignment_.empty()) return;
  alignment_.assign(rows_[0].size(), 'r');
  alignment_[0] = 'l';
}

void TextTable::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

std::string TextTable::text(std::string_view indent) const {
  std::vector<std::size_t> widths(rows_[0].size());
  for (const auto& row : rows_)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width_of(row[k]));
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string space(widths[k] - width_of(row[k]), ' ');
      if (k > 0) line += "  ";
      line += alignment_[k] == 'l' ? row[k] + space : space + row[k];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace vargp
