// What a record is stamped with, so that a number can be traced to the code and the machine that
// made it:
//
//   {"vargp": "0.1.0", "commit": "3f2c.. or 3f2c..-dirty", "cpu": "...", "cores": 2,
//    "memory_bytes": .., "system": "Linux 6.1.0 x86_64", "compiler": "GCC 12.2.0",
//    "instructions": "AVX-512", "build": "release", "eigen": "3.4.0", "tbb": "2021.8",
//    "zlib": "1.2.13", "nlohmann_json": "3.11.2", "fmt": "9.1.0"}
#pragma once

#include <string>

#include "vargp/io/record.h"

namespace vargp {

std::string version();  // of vargp
std::string commit();   // the hash that was built, "-dirty" after it where files had been changed
Json environment();

}  // namespace vargp
