#include "fuzz/table.h"
#include "vargp/data/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return vargp::read_to_the_end(data, size, [](auto bytes, const vargp::TableOptions& options) {
    return vargp::read_arrays("file", vargp::open_npz(std::move(bytes), options.arrays));
  });
}
