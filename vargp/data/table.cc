#include "vargp/data/table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "vargp/core/error.h"
#include "vargp/data/arrays.h"
#include "vargp/data/cell.h"
#include "vargp/data/csv.h"
#include "vargp/data/idx.h"
#include "vargp/data/npy.h"
#include "vargp/data/npz.h"

namespace vargp {

void TableReader::set_columns(std::vector<std::string> columns) {
  require(std::ssize(columns) <= kMostColumns, "{}: {} columns, expected at most {}", name_,
          columns.size(), kMostColumns);
  std::set<std::string_view> seen;
  for (const std::string& column : columns)
    if (!seen.insert(column).second) fail("{}: two columns have the name {}", name_, shown(column));
  columns_ = std::move(columns);
  want(std::vector<CellKind>(columns_.size(), CellKind::kNumber));
}

void TableReader::want(std::vector<CellKind> kinds) {
  VARGP_CHECK(kinds.size() == columns_.size());
  kinds_ = std::move(kinds);
  numbers_ = std::count(kinds_.begin(), kinds_.end(), CellKind::kNumber);
  texts_ = std::count(kinds_.begin(), kinds_.end(), CellKind::kText);
}

bool TableReader::next(TableChunk& chunk, Index max_rows) {
  max_rows = std::clamp<Index>(max_rows, 1, std::max<Index>(1, kMostCells / std::ssize(kinds_)));
  chunk.rows = 0;
  chunk.line.clear();
  chunk.number.resize(max_rows, numbers_);
  chunk.text.resize(static_cast<std::size_t>(texts_));
  for (auto& column : chunk.text) column.clear();
  get(chunk, max_rows);
  chunk.number.conservativeResize(chunk.rows, numbers_);
  return chunk.rows > 0;
}

std::string TableReader::place(Index line, std::string_view column) const {
  std::string out = fmt::format("{}, {} {}", name_, row_word(), line);
  if (!column.empty()) out += fmt::format(", column {}", column);
  return out;
}

// Errors below are made only where there is one: their texts would cost more than the cells.

double TableReader::number_at(std::string_view cell, Index line, std::string_view column) const {
  if (is_missing(cell)) return std::numeric_limits<double>::quiet_NaN();
  const auto value = number_in(cell);
  if (!value) fail("{}: {}, expected a number", place(line, column), shown(cell));
  if (!std::isfinite(*value))
    fail("{}: {}, expected a finite number", place(line, column), shown(cell));
  return *value;
}

double TableReader::finite_at(double value, Index line, std::string_view column) const {
  if (std::isinf(value)) fail("{}: {}, expected a finite number", place(line, column), value);
  return value;
}

std::string TableReader::text_at(std::string_view cell, Index line, std::string_view column) const {
  if (!is_utf8(cell)) fail("{}: {}, expected UTF-8", place(line, column), shown(cell));
  return std::string(cell);
}

std::vector<std::string> numbered(std::string_view prefix, Index count) {
  std::vector<std::string> names;
  for (Index i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", prefix, i));
  return names;
}

std::unique_ptr<TableReader> read_table(std::unique_ptr<Bytes> bytes, const TableOptions& options,
                                        std::unique_ptr<Bytes> labels) {
  const std::string_view magic = bytes->peek(6);
  const std::string name = bytes->name();
  const bool npz = magic.starts_with("PK"), npy = magic == kNpyMagic,
             idx = magic.starts_with(std::string_view("\0\0", 2));
  require(npz || options.arrays.empty(), "{}: has no arrays with names, expected an NPZ file",
          name);
  require(idx || !labels, "{}: needs no file of labels, expected IDX pictures", name);
  if (npz) return read_arrays(name, open_npz(std::move(bytes), options.arrays));
  if (!npy && !idx) return read_csv(std::move(bytes), options);
  std::vector<Array> arrays;
  arrays.push_back(npy ? open_npy(std::move(bytes), "x") : open_idx(std::move(bytes)));
  if (labels) arrays.push_back(open_idx(std::move(labels)));
  return read_arrays(name, std::move(arrays));
}

std::unique_ptr<TableReader> open_table(const std::filesystem::path& path,
                                        const TableOptions& options) {
  const auto labels = options.labels.empty() ? idx_labels_beside(path) : options.labels;
  return read_table(open_bytes(path), options, labels.empty() ? nullptr : open_bytes(labels));
}

}  // namespace vargp
