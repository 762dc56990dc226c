// Run records as the report needs them: read, checked, and named so that they can be told apart.
//
// A record must say which experiment, which model and the accuracy matrix of every seed. All else
// is drawn where it is there, so that records of other models, and older ones, can be shown too.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "vargp/eval/metrics.h"
#include "vargp/report/field.h"

namespace vargp {

// How a task was learned, epoch by epoch: columns of the same length. Those that the model does
// not know are empty.
struct TrainingCurve {
  std::vector<double> epoch, bound, ell, kl_u, kl_hyper, validation;
};

struct TaskPart {
  std::optional<double> inducing;
  TrainingCurve curve;
  std::vector<std::string> images;  // some inducing points, 8-bit pixels in base64
  Index image_rows = 0, image_cols = 0;
  std::vector<double> lengthscales, deviations;  // exp(theta_d), and the deviation of theta_d
};

// One seed.
struct Run {
  double seed = 0;
  Table accuracy, entropy, calibration;  // [after task][on task]
  std::vector<double> so_far;            // accuracy on all that was seen, after each task
  std::optional<double> forgetting, nll, calibration_error;
  std::vector<CalibrationBin> bins;
  std::vector<TaskPart> tasks;
  std::vector<double> learn_seconds, state_bytes;  // of each task; after each task
  std::vector<std::vector<Table>> surfaces;        // [after task][class], rows of constant y
  double surface_low = 0, surface_high = 0;
  Table points;  // what the toy tasks showed: task, x, y, class
  Json settings, environment;

  double final_accuracy() const { return so_far.back(); }
  Index learned() const { return std::ssize(accuracy); }  // tasks so far
  Index planned() const { return std::ssize(accuracy.front()); }
};

// One record: a model on an experiment, with one or more seeds.
struct Series {
  std::string file, experiment, model, preset;
  std::string label;  // tells it apart from the others in the report
  std::vector<Run> runs;
};

struct Spread {
  double mean = 0, deviation = 0;
  Index count = 0;
};
Spread spread(const std::vector<double>& values);
// Of times, which a busy machine makes long now and then.
double median(std::vector<double> values);

// The records below these paths: a record itself, or for a folder every record.json and
// progress.json (of a run under way) in it and below it.
std::vector<std::filesystem::path> find_records(const std::vector<std::filesystem::path>& paths);

// A record from its JSON, its label the model's name; the file is named in errors.
Series read_series(const Json& record, const std::string& file);

// Gives each series of an experiment a label of its own: to the model's name it adds as much of
// preset, settings that differ, and folder as it takes.
void label_series(std::vector<Series>& series);

// Joins series that are seeds of one: those of a run under way with those that it has finished, and
// records that differ in the seed alone.
std::vector<Series> join_seeds(std::vector<Series> series);

std::vector<Series> read_all(const std::vector<std::filesystem::path>& paths);

}  // namespace vargp
