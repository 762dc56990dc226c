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
#include <memory>
#include <string>
#include <string_view>

#include "vargp/io/state.h"

namespace vargp {

// Whole or not at all, as AtomicFile has it.
void write_safetensors(const std::filesystem::path& path, const State& state);
// The file is mapped, and stays so until the last tensor has been taken out of the state.
State read_safetensors(const std::filesystem::path& path);
// The same for what is in memory, which must stay there as long as file says; name is for errors.
State parse_safetensors(const std::string& name, std::string_view bytes,
                        const std::shared_ptr<const void>& file);

std::string safetensors_bytes(const State& state);  // what write_safetensors writes

std::string checksum(std::string_view bytes);  // XXH3-64, in 16 hexadecimal digits

}  // namespace vargp
