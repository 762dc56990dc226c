// NumPy's arrays: NPY files of versions 1 to 3.
//
//   "\x93NUMPY" major minor | length of the header (2 bytes, from version 2 on 4; little-endian) |
//   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } | values
//
// Numbers of every size but complex ones, and texts of fixed width (U, S). Nothing of Python is
// run: objects and records are refused.
#pragma once

#include <memory>
#include <string_view>

#include "vargp/data/arrays.h"

namespace vargp {

constexpr std::string_view kNpyMagic = "\x93NUMPY";

// Columns are prefix0, prefix1, ..
Array open_npy(std::unique_ptr<Bytes> bytes, std::string_view prefix);

}  // namespace vargp
