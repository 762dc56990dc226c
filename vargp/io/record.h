// Records of runs: JSON that a person and a program can read, written whole or not at all.
//
// Numbers are printed with as many digits as bring the same double back. JSON has no NaN and no
// infinity: a record with one is refused, by its place ("accuracy_matrix/1/0"), for it means that
// something went wrong and was not noticed.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "vargp/core/types.h"

namespace vargp {

using Json = nlohmann::ordered_json;  // fields stay in the order in which they were set

// A matrix as a list of its rows, a vector as a list.
template <class Derived>
Json to_json(const Eigen::MatrixBase<Derived>& matrix) {
  Json out = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    if constexpr (Derived::IsVectorAtCompileTime) {
      for (Index j = 0; j < matrix.cols(); ++j) out.push_back(matrix(i, j));
    } else {
      Json row = Json::array();
      for (Index j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
      out.push_back(std::move(row));
    }
  }
  return out;
}

// The text of a record: indented, but lists of plain values in one line.
std::string record_text(const Json& record);

void write_record(const std::filesystem::path& path, const Json& record);
Json read_record(const std::filesystem::path& path);
// The same for what is in memory; name is for errors. Nested deeper than 64, it is no record.
Json parse_record(const std::string& name, std::string_view text);

}  // namespace vargp
