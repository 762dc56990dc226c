// What one cell of a table means, for every reader the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vargp {

// Empty, NA, NaN, null or ?, in any case of letters, with or without blanks around.
bool is_missing(std::string_view cell);

// The whole cell is one number, but for blanks around it: 1, -2.5, +.5e-3, inf.
std::optional<double> number_in(std::string_view cell);

std::string_view trimmed(std::string_view cell);

bool is_utf8(std::string_view text);
// One character; what is none leaves text that is not UTF-8.
void append_utf8(std::string& text, char32_t character);

// A value as an error shows it: in quotes, cut short, without characters that a terminal obeys.
std::string shown(std::string_view value);

}  // namespace vargp
