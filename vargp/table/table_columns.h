// One file's columns beside those of a schema: which to read, and how a chunk of rows becomes
// inputs and labels.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "vargp/data/table.h"
#include "vargp/table/schema.h"

namespace vargp {

class TableColumns {
 public:
  // Matches the reader's columns with the schema's by name, and tells the reader what to read.
  // Where one of them has no names, features are matched by their order, the label last if it is
  // not found by name.
  // Columns that are missing, and those that the schema neither has nor ignores, are named in the
  // error. The label's column must be there only if needs_label.
  TableColumns(const Schema& schema, TableReader& reader, bool needs_label);
  // For chunks that come from elsewhere and are in the schema's order.
  explicit TableColumns(const Schema& schema);

  // The next rows, brought into the schema's order: its numeric columns in chunk.number, its
  // categorical ones in chunk.text, and the label last in the one or the other.
  bool next(TableChunk& chunk, Index max_rows);

  bool has_label() const { return has_label_; }
  // How many missing values there are that the schema does not allow, and where the first is.
  Index missing(const TableChunk& chunk, std::string& first) const;
  // The inputs of a chunk [rows, D]. What is wrong in it is an Error with its place.
  RowMat<double> encode(const TableChunk& chunk) const;
  // Classes as their places in schema.classes; a label that is not there is an Error.
  std::vector<int> classes(const TableChunk& chunk) const;
  Eigen::MatrixXd targets(const TableChunk& chunk) const;  // [rows, 1]

  // Where something stands, for errors.
  std::string place(const TableChunk& chunk, Index row, const std::string& column) const;

 private:
  void check_sizes(const TableChunk& chunk) const;

  const Schema& schema_;
  TableReader* reader_ = nullptr;
  bool has_label_ = true;
  std::vector<Index> numbers_, texts_;  // the reader's, in the schema's order
  std::vector<std::map<std::string, Index, std::less<>>> levels_;  // of each column
  std::map<std::string, int, std::less<>> classes_;
};

}  // namespace vargp
