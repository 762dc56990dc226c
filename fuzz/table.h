// Reads a table to its end, whatever the bytes are. An Error is an answer; anything else is a find.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "vargp/core/exceptions.h"
#include "vargp/data/table.h"

namespace vargp {

// open(bytes, options) makes the reader. The last byte of the file also chooses how it is read.
template <class Open>
int read_to_the_end(const std::uint8_t* data, std::size_t size, const Open& open) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const unsigned how = size > 0 ? data[size - 1] : 0;
  try {
    TableOptions options;
    if ((how & 1) != 0) options.header = (how & 2) != 0;
    if ((how & 4) != 0) options.delimiter = ',';
    const auto table = open(unpacked(bytes_in_memory("file", file)), options);
    auto kinds = table->guess();
    for (std::size_t c = 0; c < kinds.size(); ++c) {
      if ((how & 8) != 0) kinds[c] = CellKind::kText;
      if ((how & 16) != 0 && c % 3 == 0) kinds[c] = CellKind::kSkip;
      if ((how & 32) != 0 && c % 2 == 0) kinds[c] = CellKind::kNumber;
    }
    table->want(std::move(kinds));
    TableChunk chunk;
    // A small file can unpack to a large table: its first rows are enough.
    for (int i = 0; i < 20 && table->next(chunk, (how & 64) != 0 ? 1 : 16); ++i) {
    }
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace vargp
