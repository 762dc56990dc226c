// Arrays of numbers or texts in a file, side by side as one table: what NPY, NPZ and IDX have in
// common. Row i of the table is row i of every array.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vargp/data/table.h"

namespace vargp {

// One array, with its header read: the bytes of its first row come next.
struct Array {
  std::unique_ptr<Bytes> bytes;
  std::vector<std::string>
      columns;  // names; what a row has in more dimensions is one after the other
  Index rows = 0;
  Index image_rows = 0, image_cols = 0;  // where a row is a picture

  // As NumPy has them: f, i, u, b (true or false), U (text of 4 bytes a character) and S (bytes).
  char kind = 'f';
  std::size_t item = 8;      // bytes of one value
  bool swapped = false;      // the bytes of a number are in the other order
  bool by_columns = false;   // a column's values, not a row's, stand beside each other
  std::uint64_t offset = 0;  // where the values begin, for read_at() of those
  double divisor = 1;        // of whole numbers

  bool is_text() const { return kind == 'U' || kind == 'S'; }
};

// How many values a header of that many bytes claims, held against what the bytes can have after
// it: sizes are checked here before anything is done with them.
std::uint64_t claimed_values(const Bytes& bytes, std::span<const std::uint64_t> shape,
                             std::size_t item, std::uint64_t header);
// The same for an array whose item is known. Sets rows and the sizes of pictures; returns the
// values in a row.
Index set_shape(Array& array, std::span<const std::uint64_t> shape, std::uint64_t header);

// 2 x 3
std::string shape_text(std::span<const std::uint64_t> shape);

std::unique_ptr<TableReader> read_arrays(std::string name, std::vector<Array> arrays);

}  // namespace vargp
