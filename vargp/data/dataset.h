// Labelled points, as they come from a file and as a task hands them to a model.
//
// X is [N, D], one point a row; y[i] in [0, C) is the class of row i. Pictures keep their shape
// (D = image_rows * image_cols), so that an inducing input can be drawn as one.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

struct Dataset {
  RowMat<float> X;
  std::vector<int> y;
  int C = 0;
  Index image_rows = 0, image_cols = 0;

  Index size() const { return X.rows(); }
};

// The same kind of data without any points: [0, D].
Dataset empty_like(const Dataset& data);

// The rows that are named, in that order. With columns given, column d of the result is column
// columns[d] of the data.
Dataset select(const Dataset& data, std::span<const Index> rows,
               std::span<const Index> columns = {});

// One below the other. They must agree in D and C.
Dataset concatenate(std::span<const Dataset> parts);

// Throws unless X and y are equally long, every class is in [0, C) and every value is finite.
// The error names the data (what), the row and the column.
void check(const Dataset& data, std::string_view what);

}  // namespace vargp
