// States in safetensors files: 8 bytes with the length of the header (little-endian), the header as
// JSON, the raw tensors. No code runs on reading, and anybody's reader reads them.
//
//   {"__metadata__": {"format": "vargp", "format_version": "1", "vargp": "0.1.0",
//                     "xxh3:theta": "2d06800538d394c2", "xxh3": "..", and the state's text},
//    "theta": {"dtype": "F64", "shape": [3, 1], "data_offsets": [0, 24]}}
//
// Every tensor has its XXH3-64, and the header has one of its own text with 16 zeros in the place
// of this number: a file with any byte changed, or cut short, is refused. So is one that lies about
// its sizes, before memory is taken for them. Errors name the file, the field and its value.
#pragma once

#include <filesystem>

#include "vargp/io/state.h"

namespace vargp {

// Whole or not at all, as AtomicFile has it.
void write_safetensors(const std::filesystem::path& path, const State& state);
State read_safetensors(const std::filesystem::path& path);

std::string checksum(std::string_view bytes);  // XXH3-64, in 16 hexadecimal digits

// The same in memory; `name` stands for the file in errors.
std::string safetensors_bytes(const State& state);
State parse_safetensors(std::string_view bytes, const std::string& name);

}  // namespace vargp
