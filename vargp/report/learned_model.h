// What the report on a model of somebody's own data tells of it, read once from the JSON of
// `vargp inspect --json`. All names are printable here; what they say may still be anything.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vargp/core/types.h"
#include "vargp/io/record.h"

namespace vargp {

struct LearnedTask {
  Index number = 0;  // from 1
  std::string date, source;
  Index rows = 0, inducing = 0;
  double bound_per_row = 0, seconds = 0;
  std::optional<double> validation;  // accuracy, or root mean squared error
  double moved = 0, changed = 0;     // since it was learned; see Moved in table_model.h
  std::vector<std::pair<std::string, Index>> classes;  // rows of each
  std::vector<std::string> fresh;                      // those that no task before had
  std::vector<std::vector<double>> Z;                  // [M][D], in the users' units

  std::string named() const;  // "task 2 (february.csv)"
};

struct InputScale {
  std::string input;
  std::size_t place = 0;        // among the inputs
  double value = 0, units = 0;  // the lengthscale, in the model's units and in the users'
  double deviation = 0;         // of its logarithm
};

struct LearnedModel {
  std::string name, label;
  bool regression = false, standardised = true;
  Index classes = 0;
  Index image_rows = 0, image_cols = 0;  // 0: the rows are no pictures
  std::size_t state_bytes = 0;
  std::vector<LearnedTask> tasks;  // at least one
  std::vector<InputScale> scales;  // those that matter most first

  Index rows() const, inducing() const;  // of all tasks
  double seconds() const;
  bool one_scale() const { return scales.front().value == scales.back().value; }
  const LearnedTask& moved_most() const;
  std::string distance(double moved) const;    // "3.20 %", in a regression "0.032 sd"
  std::string validation(double value) const;  // "97.50 %", in a regression "3.52"
};

LearnedModel learned_model(const std::string& name, const Json& inspected);

std::string counted(Index count, const std::string& one, const std::string& many);  // "3 tasks"

}  // namespace vargp
