// Tables from files, a chunk of rows at a time: memory follows the chunk, not the file.
//
//   auto table = open_table("march.csv.gz");       // CSV, NPY, NPZ or IDX, plain or gzip
//   table->columns();                              // age, income, label
//   table->want({kNumber, kNumber, kText});        // what each column is to be
//   TableChunk chunk;
//   while (table->next(chunk, 4096)) ..            // chunk.number [rows, 2], chunk.text[0] [rows]
//
// The kind of file is told by its first bytes, not by its name. See docs/formats.md for what is
// read of each.
//
// Files are not trusted: what does not fit is an Error that names the file, the line or row, the
// column and the value, and nothing is allocated for what a file only claims.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vargp/core/types.h"
#include "vargp/data/bytes.h"

namespace vargp {

enum class CellKind { kSkip, kNumber, kText };

struct TableChunk {
  Index rows = 0;
  std::vector<Index> line;  // [rows] the line where a row begins, or its number; from 1
  RowMat<double>
      number;  // [rows, columns wanted as numbers], in the order of the file; NaN where missing
  std::vector<std::vector<std::string>> text;  // for each column wanted as text; "" where missing
};

struct TableOptions {
  std::optional<char> delimiter;    // CSV: found among , ; tab | where it is not given
  std::optional<bool> header;       // CSV: does the first row have names? Found where not given
  std::vector<std::string> arrays;  // NPZ: these arrays, in this order; empty: all
  std::filesystem::path labels;     // IDX: the file with the labels; empty: the one beside it
};

class TableReader {
 public:
  // A chunk has at most this many cells: fewer rows than asked for where they are wide.
  static constexpr Index kMostCells = Index{1} << 22;
  static constexpr Index kMostColumns = Index{1} << 18;

  explicit TableReader(std::string name) : name_(std::move(name)) {}
  virtual ~TableReader() = default;
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  const std::string& name() const { return name_; }  // the file; "standard input"
  // Each name once; x0, x1, .. where the file has none.
  const std::vector<std::string>& columns() const { return columns_; }
  // Of pictures: their sizes, and columns() are the pixels row by row, then what comes with them.
  Index image_rows() const { return image_rows_; }
  Index image_cols() const { return image_cols_; }

  // A number where all of the first rows' cells are numbers or missing. They are still to be read.
  virtual std::vector<CellKind> guess() const = 0;
  // One for each column, before the first next().
  void want(std::vector<CellKind> kinds);
  // The next rows, at most max_rows; false at the end. From a pipe, a row comes as soon as it is
  // there, without waiting for more.
  bool next(TableChunk& chunk, Index max_rows);

  // For errors: "march.csv, line 7, column age".
  std::string place(Index line, std::string_view column = {}) const;

 protected:
  void set_columns(std::vector<std::string> columns);
  void set_image(Index rows, Index cols) { image_rows_ = rows, image_cols_ = cols; }
  const std::vector<CellKind>& kinds() const { return kinds_; }
  // At least one row, unless there are no more. chunk.text has as many lists as are wanted, empty;
  // chunk.number has as many columns and max_rows rows, which are cut down to chunk.rows
  // afterwards.
  virtual void get(TableChunk& chunk, Index max_rows) = 0;
  virtual std::string_view row_word() const { return "row"; }

  // A cell as a number, NaN where it is missing; an Error where it is neither, or not finite.
  double number_at(std::string_view cell, Index line, std::string_view column) const;
  double finite_at(double value, Index line, std::string_view column) const;
  // As a text, which must be UTF-8.
  std::string text_at(std::string_view cell, Index line, std::string_view column) const;

 private:
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<CellKind> kinds_;
  Index numbers_ = 0, texts_ = 0;
  Index image_rows_ = 0, image_cols_ = 0;
};

// "-" is standard input. A file without any row is an Error.
std::unique_ptr<TableReader> open_table(const std::filesystem::path& path,
                                        const TableOptions& options = {});
// The same from anywhere. The labels of IDX pictures, if any, are the other source.
std::unique_ptr<TableReader> read_table(std::unique_ptr<Bytes> bytes,
                                        const TableOptions& options = {},
                                        std::unique_ptr<Bytes> labels = nullptr);

// Names for columns that have none: prefix0, prefix1, ..
std::vector<std::string> numbered(std::string_view prefix, Index count);

}  // namespace vargp
