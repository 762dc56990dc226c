// IDX files, plain or compressed with gzip: the format of MNIST and its descendants.
//
//   bytes     0 0 type ndim | size_1 .. size_ndim (32 bits each, big-endian) | values, row-major
//   type      8 is unsigned bytes, the only one read here
//
// A file is not trusted: nothing is allocated for what a header claims beyond what the file can
// hold, and the values must be exactly as many as claimed. Errors name the file, the field, its
// value and what was expected.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "vargp/data/dataset.h"

namespace vargp {

struct IdxArray {
  std::vector<Index> shape;
  std::vector<std::uint8_t> values;
};

IdxArray read_idx(const std::filesystem::path& path);

// Pictures [N, rows, cols] as rows of X, 0..255 scaled to [0, 1], with their labels [N] in [0, C).
Dataset read_idx_images(const std::filesystem::path& images, const std::filesystem::path& labels,
                        int C);

}  // namespace vargp
