// What the columns of a person's data mean, fixed by the first task and kept in the model: so that
// next month's file is read the same way, or refused with a reason.
//
// A numeric column is one input, (x - mean) / deviation with the first task's mean and deviation. A
// categorical column is one input for each level that the first task has, 1 where the row has that
// level and 0 elsewhere: two rows of different levels are sqrt 2 apart, about as far as two rows
// that differ by chance in a standardised column.
//   age (mean 40, deviation 10), colour (blue, red):   age 50, colour red   ->   (1, 0, 1)
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "vargp/api/types.h"
#include "vargp/core/types.h"

namespace vargp {

struct Column {
  std::string name;
  bool categorical = false;
  std::vector<std::string> levels;  // of a categorical column
  double mean = 0, deviation = 1;   // of a numeric one

  Index width() const { return categorical ? std::ssize(levels) : 1; }
};

enum class Missing {
  kError,  // a missing value is an error
  kMean,   // it stands at the first task's mean; of a categorical column, at no level
};
enum class Unseen {
  kError,   // a level that the first task did not have is an error
  kIgnore,  // it stands at no level
};

struct Schema {
  std::vector<Column> columns;
  bool named = true;                 // or the columns are known by their order only: x0, x1, ..
  std::vector<std::string> ignored;  // columns that files may have, and that are not read
  std::string label;                 // the column of the labels, or of the targets; may be empty
  bool regression = false;
  bool grows = true;                 // classes that are new may come
  std::vector<std::string> classes;  // in the order of the outputs
  bool standardise = true;
  Missing missing = Missing::kError;
  Unseen unseen = Unseen::kError;
  Index image_rows = 0, image_cols = 0;  // where a row is a picture

  std::vector<std::string> names() const;   // of the columns
  Index D() const;                          // inputs
  std::vector<std::string> inputs() const;  // their names: age, colour=blue, colour=red

  // A numeric column's input for a value in the users' units; NaN is a missing one.
  double input(const Column& column, double value) const;
  // Points of numeric columns, in the users' units and in the model's. `what` names them in errors.
  // With a name for every column they are matched by name, else by their order.
  RowMat<double> encode(const Points& X, std::span<const std::string> names,
                        const std::string& what) const;
  // Back to the users' units; a categorical column's inputs stay as they are.
  RowMat<double> decode(const Eigen::MatrixXd& Z) const;
};

// Numeric columns with the mean and deviation of X (1 where it is constant, or without
// standardising); NaN is a missing value.
std::vector<Column> numeric_columns(const Points& X, std::span<const std::string> names,
                                    bool standardise);

// What a column is divided by: its deviation, or 1 where that says nothing (a constant).
double usable_deviation(double deviation, double mean);

// Are there no names, or only x0, x1, .., which are none?
bool unnamed(std::span<const std::string> names);

// As people would list them: by value where all are numbers, else by their letters.
void sort_names(std::vector<std::string>& names);

nlohmann::ordered_json to_json(const Schema& schema);
Schema schema_from(const nlohmann::json& json);  // throws what the JSON library throws
// A whole number that counts something; sums of such counts stay far from the largest Index.
Index count_from(const nlohmann::json& json);

}  // namespace vargp
