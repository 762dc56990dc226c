#include "vargp/experiment/runner.h"

#include <chrono>
#include <cmath>

#include "vargp/api/classifier.h"
#include "vargp/eval/accuracy_matrix.h"
#include "vargp/eval/metrics.h"
#include "vargp/experiment/settings.h"
#include "vargp/io/environment.h"
#include "vargp/io/record.h"

namespace vargp {
namespace {

constexpr Index kGrid = 61;       // points a side of the toy surfaces
constexpr double kGridEnd = 3.0;  // on [-3, 3]^2

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Class probabilities on the grid, [class][row of constant y, from -3 up][x].
Json surfaces(const Classifier& model) {
  RowMat<double> X(kGrid * kGrid, 2);
  for (Index i = 0; i < kGrid; ++i)
    for (Index j = 0; j < kGrid; ++j) {
      const double step = 2 * kGridEnd / static_cast<double>(kGrid - 1);
      X(i * kGrid + j, 0) = -kGridEnd + step * static_cast<double>(j);
      X(i * kGrid + j, 1) = -kGridEnd + step * static_cast<double>(i);
    }
  const Eigen::MatrixXd p = model.predict(X).probability;
  Json out = Json::array();
  for (Index c = 0; c < p.cols(); ++c) {
    const Eigen::VectorXd column = p.col(c);
    const RowMat<double> grid = Eigen::Map<const RowMat<double>>(column.data(), kGrid, kGrid);
    // Four digits are more than any picture shows.
    out.push_back(to_json(RowMat<double>((grid * 1e4).array().round() / 1e4)));
  }
  return out;
}

}  // namespace

Json run(const Stream& stream, const RunOptions& run_options, const RunCallbacks& callbacks) {
  ClassifierOptions options;
  static_cast<Options&>(options) = run_options.options;
  options.threads = run_options.threads;
  // Images are many and their kernel matrices well-behaved: float. The toy data cost nothing.
  options.precision = stream.D() > 16 ? Precision::kFloat : Precision::kDouble;
  for (int c = 0; c < stream.C(); ++c) options.classes.push_back(c);
  Classifier model(options);

  const Index T = stream.tasks();
  std::vector<Index> counts;
  for (Index t = 0; t < T; ++t) counts.push_back(std::ssize(stream.part(t).test));
  // An untrained model knows nothing: chance.
  AccuracyMatrix accuracy(counts,
                          std::vector<double>(static_cast<std::size_t>(T), 1.0 / stream.C()));
  Json entropy = Json::array(), nll = Json::array(), calibration = Json::array(),
       learn_seconds = Json::array(), evaluate_seconds = Json::array(), reports = Json::array(),
       surface = Json::array(), reliability = Json::array(), state_bytes = Json::array();
  Metrics all;  // over all test points, at the end
  for (Index t = 0; t < T; ++t) {
    const Dataset train = stream.train(t);
    std::vector<Dataset> held;
    for (Index v = run_options.validation_seen ? 0 : t; v <= t; ++v)
      held.push_back(stream.validation(v));
    const Dataset validation = concatenate(held);
    const LearnReport report =
        model.learn(train.X, train.y, validation.X, validation.y, callbacks.progress);

    const auto clock = std::chrono::steady_clock::now();
    std::vector<double> row;
    Json entropies = Json::array(), nlls = Json::array(), errors = Json::array();
    Mat<double> seen(0, stream.C());
    std::vector<int> labels;
    for (Index j = 0; j < T; ++j) {
      const Dataset test = stream.test(j);
      const Eigen::MatrixXd p = model.predict(test.X).probability;
      const Metrics m = metrics(p, test.y);
      row.push_back(m.accuracy);
      entropies.push_back(m.entropy);
      nlls.push_back(m.nll);
      errors.push_back(m.calibration_error);
      if (j > t) continue;
      seen.conservativeResize(seen.rows() + p.rows(), Eigen::NoChange);
      seen.bottomRows(p.rows()) = p;
      labels.insert(labels.end(), test.y.begin(), test.y.end());
    }
    accuracy.add_row(row);
    all = metrics(seen, labels);
    entropy.push_back(std::move(entropies));
    nll.push_back(std::move(nlls));
    calibration.push_back(std::move(errors));
    learn_seconds.push_back(report.seconds);
    evaluate_seconds.push_back(seconds_since(clock));
    state_bytes.push_back(model.state_bytes());
    Json told = {{"rows", report.rows},
                 {"inducing", report.inducing},
                 {"epochs", report.epochs},
                 {"bound", report.bound},
                 {"kl_u", report.kl_u},
                 {"kl_hyper", report.kl_hyper},
                 {"final_accuracy", accuracy.final_accuracy()}};
    if (std::isfinite(report.validation)) told["validation_accuracy"] = report.validation;
    reports.push_back(std::move(told));
    if (stream.name() == "toy") surface.push_back(surfaces(model));
    if (callbacks.task_done)
      callbacks.task_done({t, T, report, accuracy.final_accuracy(), evaluate_seconds.back()});
  }

  Json record;
  record["experiment"] = run_options.experiment;
  record["model"] = to_json(run_options.options)["model"];
  record["preset"] = run_options.preset;
  record["seed"] = run_options.options.seed;
  record["final_accuracy"] = accuracy.final_accuracy();
  record["mean_task_accuracy"] = accuracy.mean_task_accuracy();
  record["forgetting"] = accuracy.forgetting();
  record["backward_transfer"] = accuracy.backward_transfer();
  record["forward_transfer"] = accuracy.forward_transfer();
  record["nll"] = all.nll;
  record["calibration_error"] = all.calibration_error;
  record["accuracy_matrix"] = accuracy.rows();
  record["entropy_matrix"] = entropy;
  record["nll_matrix"] = nll;
  record["calibration_matrix"] = calibration;
  for (const CalibrationBin& bin : all.bins)
    reliability.push_back(
        {{"count", bin.count}, {"confidence", bin.confidence}, {"accuracy", bin.accuracy}});
  record["reliability"] = reliability;
  record["tasks"] = reports;
  record["state_bytes"] = state_bytes;
  if (!surface.empty()) {
    record["surface_range"] = {-kGridEnd, kGridEnd};
    record["surfaces"] = surface;
  }
  record["settings"] = to_json(run_options.options);
  record["settings"]["validation"] = run_options.validation_seen ? "seen" : "task";
  record["learn_seconds"] = learn_seconds;
  record["evaluate_seconds"] = evaluate_seconds;
  record["threads"] = run_options.threads;
  record["environment"] = environment();
  return record;
}

Json summarise(const std::vector<Json>& runs) {
  Json out;
  const Json& first = runs.front();
  for (const char* key : {"experiment", "model", "preset"}) out[key] = first[key];
  out["seeds"] = Json::array();
  for (const Json& r : runs) out["seeds"].push_back(r["seed"]);
  for (const char* key :
       {"final_accuracy", "mean_task_accuracy", "forgetting", "nll", "calibration_error"}) {
    double sum = 0, squares = 0;
    for (const Json& r : runs) sum += r[key].get<double>();
    const auto n = static_cast<double>(runs.size());
    for (const Json& r : runs) squares += std::pow(r[key].get<double>() - sum / n, 2);
    out[key] = {{"mean", sum / n},
                {"standard_deviation", n > 1 ? std::sqrt(squares / (n - 1)) : 0.0}};
  }
  out["runs"] = runs;
  return out;
}

}  // namespace vargp
