// A changed byte of a model file is found by a checksum and goes no further. So that what lies
// behind is tried too, the checksums are set right again after a change, as long as the header has
// the form that vargp writes: "name":{"data_offsets":[begin,end], .. and "xxh3:name":"sum".
#pragma once

#define XXH_INLINE_ALL  // NOLINT
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace vargp {

inline std::string sum_of(std::string_view bytes) {
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

// In place: the text of a checksum keeps its length.
inline void reseal(std::uint8_t* data, std::size_t size) {
  std::uint64_t length = 0;
  if (size < sizeof length) return;
  std::memcpy(&length, data, sizeof length);
  if (length > size - sizeof length) return;
  char* const first = reinterpret_cast<char*>(data) + sizeof length;
  const std::string_view header(first, length);
  const std::string_view tensors(first + length, size - sizeof length - length);
  // Puts a sum where the key stands in the header.
  const auto put = [&](const std::string& key, std::string_view sum) {
    const std::string field = "\"" + key + "\":\"";
    const std::size_t at = header.find(field);
    if (at == std::string_view::npos || length - at < field.size() + sum.size()) return;
    std::copy(sum.begin(), sum.end(), first + at + field.size());
  };
  constexpr std::string_view kOffsets = "\":{\"data_offsets\":[";
  for (std::size_t at = header.find(kOffsets); at != std::string_view::npos;
       at = header.find(kOffsets, at + 1)) {
    const std::size_t quote = header.rfind('"', at - 1);
    std::uint64_t begin = 0, end = 0;
    const char* const last = first + length;
    const auto comma = std::from_chars(first + at + kOffsets.size(), last, begin);
    if (at == 0 || quote == std::string_view::npos || comma.ptr == last) continue;
    std::from_chars(comma.ptr + 1, last, end);
    if (begin <= end && end <= tensors.size())
      put("xxh3:" + std::string(header.substr(quote + 1, at - quote - 1)),
          sum_of(tensors.substr(begin, end - begin)));
  }
  put("xxh3", "0000000000000000");
  put("xxh3", sum_of(header));
}

}  // namespace vargp
