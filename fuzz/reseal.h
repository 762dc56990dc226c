// A changed byte of a model file is found by a checksum and goes no further. So that what lies
// behind is tried too, the checksums are set right again after a change, where the header can still
// be read.
#pragma once

#define XXH_INLINE_ALL  // NOLINT
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
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
  char* const last = first + length;
  const std::string_view tensors(last, size - sizeof length - length);
  // Puts a sum where the key stands in the header.
  const auto put = [&](const std::string& key, std::string_view sum) {
    const std::string field = "\"" + key + "\":\"";
    char* at = std::search(first, last, field.begin(), field.end());
    if (last - at < std::ssize(field) + std::ssize(sum)) return;
    std::copy(sum.begin(), sum.end(), at + field.size());
  };
  const auto header = nlohmann::json::parse(first, last, nullptr, false);
  if (!header.is_object()) return;
  for (const auto& [name, entry] : header.items()) {
    if (!entry.is_object() || !entry.contains("data_offsets")) continue;
    const auto& offsets = entry["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned())
      continue;
    const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
    if (begin <= end && end <= tensors.size())
      put("xxh3:" + name, sum_of(tensors.substr(begin, end - begin)));
  }
  put("xxh3", "0000000000000000");
  put("xxh3", sum_of({first, length}));
}

}  // namespace vargp
