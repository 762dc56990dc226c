// NPZ: a zip archive of NPY files, each an array with a name. They stand side by side as one table:
// the columns of X are x0, x1, ..; an array with one value a row is a column of its own name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vargp/data/arrays.h"

namespace vargp {

// The arrays with these names, in this order. Without names: X and y where both are there, else
// all.
std::vector<Array> open_npz(std::unique_ptr<Bytes> bytes, const std::vector<std::string>& names);

}  // namespace vargp
