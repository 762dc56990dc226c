#include "vargp/data/dataset.h"

#include <cmath>

#include "vargp/core/error.h"

namespace vargp {

Dataset empty_like(const Dataset& data) {
  return {RowMat<float>(0, data.X.cols()), {}, data.C, data.image_rows, data.image_cols};
}

Dataset select(const Dataset& data, std::span<const Index> rows, std::span<const Index> columns) {
  const Index D = data.X.cols();
  VARGP_CHECK(columns.empty() || std::ssize(columns) == D);
  Dataset out = empty_like(data);
  out.X.resize(std::ssize(rows), D);
  out.y.resize(rows.size());
  for (Index i = 0; i < std::ssize(rows); ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    VARGP_CHECK(row >= 0 && row < data.size());
    if (columns.empty()) {
      out.X.row(i) = data.X.row(row);
    } else {
      const float* from = data.X.row(row).data();
      float* to = out.X.row(i).data();
      for (const Index column : columns) *to++ = from[column];
    }
    out.y[static_cast<std::size_t>(i)] = data.y[static_cast<std::size_t>(row)];
  }
  return out;
}

Dataset concatenate(std::span<const Dataset> parts) {
  if (parts.empty()) return {};
  Dataset out = empty_like(parts[0]);
  Index N = 0;
  for (const Dataset& part : parts) {
    require(part.X.cols() == out.X.cols(),
            "cannot join data with {} columns and data with {} columns", out.X.cols(),
            part.X.cols());
    require(part.C == out.C, "cannot join data of {} classes and data of {} classes", out.C,
            part.C);
    N += part.size();
  }
  out.X.resize(N, out.X.cols());
  out.y.reserve(static_cast<std::size_t>(N));
  Index row = 0;
  for (const Dataset& part : parts) {
    out.X.middleRows(row, part.size()) = part.X;
    out.y.insert(out.y.end(), part.y.begin(), part.y.end());
    row += part.size();
  }
  return out;
}

void check(const Dataset& data, std::string_view what) {
  require(std::ssize(data.y) == data.size(), "{}: {} points but {} labels", what, data.size(),
          data.y.size());
  require(
      data.image_rows * data.image_cols == 0 || data.image_rows * data.image_cols == data.X.cols(),
      "{}: pictures of {} x {} do not have {} columns", what, data.image_rows, data.image_cols,
      data.X.cols());
  for (Index i = 0; i < data.size(); ++i) {
    const int label = data.y[static_cast<std::size_t>(i)];
    require(label >= 0 && label < data.C, "{}, row {}: class {}, expected 0 to {}", what, i, label,
            data.C - 1);
    // A sum is finite only if its terms are; the slow look is for the row that is not.
    if (std::isfinite(data.X.row(i).sum())) continue;
    for (Index d = 0; d < data.X.cols(); ++d)
      require(std::isfinite(data.X(i, d)), "{}, row {}, column {}: {}, expected a finite number",
              what, i, d, data.X(i, d));
  }
}

}  // namespace vargp
