#include "fuzz/table.h"
#include "vargp/data/idx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return vargp::read_to_the_end(data, size, [](auto bytes, const vargp::TableOptions&) {
    std::vector<vargp::Array> arrays;
    arrays.push_back(vargp::open_idx(std::move(bytes)));
    return vargp::read_arrays("file", std::move(arrays));
  });
}
