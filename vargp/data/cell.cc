#include "vargp/data/cell.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vargp {

std::string_view trimmed(std::string_view cell) {
  const auto first = cell.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return cell.substr(first, cell.find_last_not_of(" \t") - first + 1);
}

bool is_missing(std::string_view cell) {
  cell = trimmed(cell);
  if (cell.empty() || cell == "?") return true;
  if (cell.size() > 4) return false;
  const auto is = [&](std::string_view word) {
    return std::equal(cell.begin(), cell.end(), word.begin(), word.end(),
                      [](char a, char b) { return (a | 0x20) == b; });
  };
  return is("na") || is("nan") || is("null");
}

std::optional<double> number_in(std::string_view cell) {
  cell = trimmed(cell);
  if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto [stop, error] = fast_float::from_chars(cell.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = c < 0x80   ? 1
                               : c < 0xc2 ? 0
                               : c < 0xe0 ? 2
                               : c < 0xf0 ? 3
                               : c < 0xf5 ? 4
                                          : 0;
    if (length == 0 || length > text.size() - i) return false;
    unsigned code = length == 1 ? c : c & (0x7fU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) return false;
      code = code << 6 | (next & 0x3fU);
    }
    // Longer than need be, half of a UTF-16 pair, or beyond the last character.
    constexpr std::array<unsigned, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return false;
    i += length;
  }
  return true;
}

void append_utf8(std::string& text, char32_t character) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  const auto tail = [&](int shift) { add(0x80 | (character >> shift & 0x3f)); };
  if (character < 0x80) {
    add(character);
  } else if (character < 0x800) {
    add(0xc0 | character >> 6);
    tail(0);
  } else if (character < 0x10000) {
    add(0xe0 | character >> 12);
    tail(6);
    tail(0);
  } else if (character < 0x110000) {
    add(0xf0 | character >> 18);
    tail(12);
    tail(6);
    tail(0);
  } else {
    add(0xff);
  }
}

std::string shown(std::string_view value) {
  constexpr std::size_t kLongest = 40;
  const bool cut = value.size() > kLongest;
  if (cut) {
    value = value.substr(0, kLongest);
    // Not within a character: up to three bytes may belong to one that was cut.
    for (std::size_t less = 1; less <= 3; ++less)
      if (!is_utf8(value) && is_utf8(value.substr(0, kLongest - less))) value.remove_suffix(less);
  }
  const bool readable = is_utf8(value);
  std::string out = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !readable))
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + (cut ? "..\"" : "\"");
}

}  // namespace vargp
