// IDX files, plain or compressed with gzip: the format of MNIST and its descendants.
//
//   bytes     0 0 type ndim | size_1 .. size_ndim (32 bits each, big-endian) | values, row-major
//   type      8 is unsigned bytes, the only one read here
//
// As a table, pictures have the columns p0, p1, .. from 0 to 1 (bytes are divided by 255), and
// labels the column label.
//
// A file is not trusted: nothing is allocated for what a header claims beyond what the file can
// hold, and the values must be exactly as many as claimed. Errors name the file, the field, its
// value and what was expected.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "vargp/data/arrays.h"
#include "vargp/data/dataset.h"

namespace vargp {

struct IdxArray {
  std::vector<Index> shape;
  std::vector<std::uint8_t> values;
};

Array open_idx(std::unique_ptr<Bytes> bytes);
// The labels that lie beside pictures by the usual names (train-images-idx3-ubyte.gz and
// train-labels-idx1-ubyte.gz), or nothing if there are none.
std::filesystem::path idx_labels_beside(const std::filesystem::path& images);

IdxArray read_idx(const std::filesystem::path& path);

// Pictures [N, rows, cols] as rows of X, 0..255 scaled to [0, 1], with their labels [N] in [0, C).
Dataset read_idx_images(const std::filesystem::path& images, const std::filesystem::path& labels,
                        int C);

}  // namespace vargp
