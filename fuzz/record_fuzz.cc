// Records are JSON; a run that is resumed reads one.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vargp/core/exceptions.h"
#include "vargp/io/record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    vargp::record_text(vargp::parse_record("file", {reinterpret_cast<const char*>(data), size}));
  } catch (const vargp::Error&) {
  }
  return 0;
}
