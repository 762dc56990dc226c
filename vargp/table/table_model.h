// A model of a person's own data: the classifier or regressor with what its columns mean, its
// history, and a watch on forgetting. One file holds all of it; the command line and Python use the
// same class.
//
//   vargp::TableModel model(options);
//   model.learn(X1, y1, {.features = {"age", "weight"}, .source = "january.csv"});
//   model.learn(X2, y2, {.features = {"age", "weight"}, .source = "february.csv"});
//   auto p = model.predict(X, {"age", "weight"});
//   model.save("model.vargp");
//
// The watch: when a task has been learned, the model's predictions at that task's own inducing
// inputs are kept. Where later tasks have moved them shows what was forgotten, or refined, without
// any of the old rows.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "vargp/api/classifier.h"
#include "vargp/api/regressor.h"
#include "vargp/table/schema.h"

namespace vargp {

// The defaults are for people's data, chosen on validation rows of public tables.
struct TableModelOptions : EstimatorOptions {
  TableModelOptions();

  bool regression = false;
  std::vector<std::string> classes;  // empty: they grow as they appear
  bool standardise = true;           // columns (and a regression's targets), by the first task
  Missing missing = Missing::kError;
  Unseen unseen = Unseen::kError;
};

// quick, default (as above) or best.
void use_preset(TableModelOptions& options, const std::string& name);

// What belongs to one task beside its rows.
struct TaskInfo {
  std::vector<std::string> features = {};  // names of the columns; empty: known by their order
  std::string source = {};                 // where the rows came from, for the history
  std::string label = {};                  // the name of what y is
  Index image_rows = 0, image_cols = 0;    // where a row is a picture
  LearnHooks hooks = {};
};

// One line of the history.
struct TaskRecord {
  std::string date;  // when it was learned: 2026-11-16T15:25:17Z
  std::string source;
  Index rows = 0, inducing = 0;
  std::vector<Index> class_rows;     // rows of each class that was known by then
  double bound = 0;                  // F(q_t)
  std::optional<double> validation;  // accuracy, or root mean squared error in the target's units
  double seconds = 0;
};

// How far a task's predictions at its own inducing inputs have moved since it was learned.
struct Moved {
  // Classes: the mean total variation, 1/2 sum_c |p_c now - p_c then|, from 0 to 1. Regression: the
  // root mean square of (mean now - mean then) / sd then.
  double distance = 0;
  double changed = 0;  // share of the inducing inputs with another most probable class
};

struct TableReport {
  Index task = 0;  // counted from 1
  TaskRecord record;
  std::vector<std::string> new_classes;
  std::vector<Moved> moved;  // of every task so far
  std::size_t state_bytes = 0;
  Index n = 0;  // inducing points of all tasks
};

struct TablePrediction {
  Eigen::MatrixXd mean, var;    // [N, C] of the latent functions; [N, 1] in a regression
  Eigen::MatrixXd probability;  // [N, C]; a regression has none
  std::vector<Index> label;     // [N], the most probable class as its place among classes()
  Eigen::VectorXd entropy;      // [N], in nats
  Eigen::VectorXd sd;           // [N], regression: of what will be observed, noise included
};

// z with P(|N(0, 1)| < z) = coverage: an interval is mean +- z sd.
double interval_width(double coverage);

struct Lengthscale {
  std::string input;
  double value = 0;      // in the model's units: deviations of a standardised column
  double units = 0;      // in the users'
  double deviation = 0;  // of its logarithm; 0: not computed
  bool known = true;  // the data have said something of it, beside what all inputs have in common
};

// A task whose rows have been encoded already: X is all of them, or a sample with a pass over all.
struct EncodedTask {
  Schema schema;  // the model's, with what this task adds
  RowMat<double> X, X_validation;
  std::vector<int> y, y_validation;             // places among schema.classes
  Eigen::MatrixXd targets, targets_validation;  // [N, 1], regression
  Pass<std::vector<int>> pass = nullptr;
  Pass<Eigen::MatrixXd> target_pass = nullptr;
  std::vector<Index> class_rows;
};

class TableModel {
 public:
  explicit TableModel(const TableModelOptions& options = TableModelOptions());

  // Learns one task. If anything goes wrong, the model stays as it was.
  TableReport learn(const Points& X, const std::vector<std::string>& y, const TaskInfo& info = {});
  TableReport learn(const Points& X, const Eigen::VectorXd& y, const TaskInfo& info = {});
  TableReport learn(const EncodedTask& task, const TaskInfo& info);

  TablePrediction predict(const Points& X, std::span<const std::string> features = {}) const;
  TablePrediction predict_encoded(const Points& X) const;

  bool regression() const { return schema_.regression; }
  const Schema& schema() const { return schema_; }
  const std::vector<std::string>& classes() const { return schema_.classes; }
  const EstimatorOptions& options() const { return options_; }
  Index tasks() const { return std::ssize(history_); }
  const std::vector<TaskRecord>& history() const { return history_; }
  std::vector<Moved> moved() const;  // of each task

  // Of each task [M, D], in the users' units, with a column for each of schema().inputs().
  std::vector<RowMat<double>> inducing_inputs() const;
  std::vector<Lengthscale> lengthscales() const;  // of each input
  double scale() const;                           // sqrt k(x, x)
  double noise() const;                           // sd, in the target's units; 0: no such noise
  std::size_t state_bytes() const;

  // Text that a caller keeps with the model.
  std::map<std::string, std::string> notes;

  // The file is replaced whole or not at all, and refused if a byte of it has changed. What was
  // loaded predicts and learns on with the same bits as what was saved.
  void save(const std::filesystem::path& path) const;
  static TableModel load(const std::filesystem::path& path, int threads = 0);
  std::string bytes() const;  // of that file
  static TableModel from_bytes(std::string_view bytes, const std::string& name = "model",
                               int threads = 0);
  static TableModel from(State& state, int threads);  // what such a file holds

 private:
  State state() const;
  void check(const StateReader& reader) const;
  // The schema with what a task of numeric columns brings.
  Schema schema_for(const Points& X, const TaskInfo& info) const;
  Eigen::MatrixXd watched(Index t) const;  // what is kept of task t, as it is now

  EstimatorOptions options_;
  Schema schema_;
  std::variant<Classifier, Regressor> model_;
  std::vector<TaskRecord> history_;
  std::vector<Eigen::MatrixXd> watch_;  // [M, C_t] probabilities; regression: [M, 2] mean and sd
};

}  // namespace vargp
