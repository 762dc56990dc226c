#include "vargp/experiment/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "vargp/eval/accuracy_matrix.h"
#include "vargp/eval/metrics.h"
#include "vargp/io/base64.h"
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
Json surfaces(const Learner& model, Index task) {
  RowMat<double> X(kGrid * kGrid, 2);
  for (Index i = 0; i < kGrid; ++i)
    for (Index j = 0; j < kGrid; ++j) {
      const double step = 2 * kGridEnd / static_cast<double>(kGrid - 1);
      X(i * kGrid + j, 0) = -kGridEnd + step * static_cast<double>(j);
      X(i * kGrid + j, 1) = -kGridEnd + step * static_cast<double>(i);
    }
  const Mat<double> p = model.probabilities(X.cast<float>(), task);
  Json out = Json::array();
  for (Index c = 0; c < p.cols(); ++c) {
    const Eigen::VectorXd column = p.col(c);
    const RowMat<double> grid = Eigen::Map<const RowMat<double>>(column.data(), kGrid, kGrid);
    // Four digits are more than any picture shows.
    out.push_back(to_json(RowMat<double>((grid * 1e4).array().round() / 1e4)));
  }
  return out;
}

// The epochs of a curve that are kept, counted from 0: all, or kCurve of them with the last.
constexpr Index kCurve = 100;
Json curve_of(const LearnCurve& curve) {
  const Index epochs = std::ssize(curve.bound);
  const Index stride = (epochs + kCurve - 1) / kCurve;
  std::vector<Index> kept;
  for (Index e = (epochs - 1) % stride; e < epochs; e += stride) kept.push_back(e);
  Json out;
  for (const Index e : kept) out["epoch"].push_back(e + 1);
  const auto column = [&](const char* name, const std::vector<double>& values) {
    if (std::ssize(values) != epochs) return;  // not known
    for (const Index e : kept)
      out[name].push_back(std::stod(fmt::format("{:.6g}", values[static_cast<std::size_t>(e)])));
  };
  column("bound", curve.bound);
  column("ell", curve.ell);
  column("kl_u", curve.kl_u);
  column("kl_hyper", curve.kl_hyper);
  column("validation", curve.validation);
  return out;
}

// Up to kImages inducing points, evenly over Z, as grey pictures; permuted columns are put back.
constexpr Index kImages = 24;
Json images_of(const Eigen::MatrixXd& Z, const Stream& stream, Index t) {
  const auto& columns = stream.part(t).columns;
  const Index count = std::min(kImages, Z.rows());
  Json out = {{"rows", stream.image_rows()}, {"cols", stream.image_cols()}};
  for (Index k = 0; k < count; ++k) {
    std::vector<unsigned char> pixels(static_cast<std::size_t>(Z.cols()));
    for (Index d = 0; d < Z.cols(); ++d) {
      const Index place = columns.empty() ? d : columns[static_cast<std::size_t>(d)];
      const double value = std::clamp(Z(k * Z.rows() / count, d), 0.0, 1.0);
      pixels[static_cast<std::size_t>(place)] =
          static_cast<unsigned char>(std::lround(255 * value));
    }
    out["pixels"].push_back(base64(pixels));
  }
  return out;
}

// One number where all are alike; four digits are enough to look at.
Json lengthscales_of(const Eigen::VectorXd& values) {
  const bool one = (values.array() == values(0)).all();
  Json out = Json::array();
  for (Index d = 0; d < (one ? 1 : values.size()); ++d)
    out.push_back(std::stod(fmt::format("{:.4g}", values(d))));
  return out;
}

Json told(const LearnReport& report, const Stream& stream, Index t) {
  Json out = {{"rows", report.rows},     {"inducing", report.inducing},
              {"epochs", report.epochs}, {"bound", report.bound},
              {"kl_u", report.kl_u},     {"kl_hyper", report.kl_hyper}};
  if (std::isfinite(report.validation)) out["validation_accuracy"] = report.validation;
  if (!report.curve.bound.empty()) out["curve"] = curve_of(report.curve);
  if (report.log_lengthscales.size() > 0) {
    out["lengthscales"] = lengthscales_of(report.log_lengthscales.array().exp());
    if ((report.deviations.array() > 0).any())
      out["log_lengthscale_deviations"] = lengthscales_of(report.deviations);
  }
  if (report.inducing_inputs.size() > 0 && stream.image_rows() > 0 &&
      report.inducing_inputs.cols() == stream.D())
    out["inducing_images"] = images_of(report.inducing_inputs, stream, t);
  return out;
}

// The points of all tasks: task, inputs, class.
Json points_of(const Stream& stream) {
  Json out = Json::array();
  for (Index t = 0; t < stream.tasks(); ++t) {
    const Dataset train = stream.train(t);
    for (Index i = 0; i < train.size(); ++i) {
      Json point = {t + 1};
      for (Index d = 0; d < stream.D(); ++d)
        point.push_back(std::stod(fmt::format("{:.4g}", train.X(i, d))));
      point.push_back(train.y[static_cast<std::size_t>(i)]);
      out.push_back(std::move(point));
    }
  }
  return out;
}

// What the record will hold of the tasks until now.
Json so_far(const Json& lists, const Stream& stream, std::uint64_t seed) {
  Json out = lists;
  out["seed"] = seed;
  if (lists["surfaces"].empty()) return out;
  out["surface_range"] = {-kGridEnd, kGridEnd};
  out["points"] = points_of(stream);
  return out;
}

const char* word_of(Regime regime) {
  switch (regime) {
    case Regime::kContinual:
      return "continual";
    case Regime::kJoint:
      return "joint";
    case Regime::kFineTune:
      return "fine-tune";
  }
  return "";
}

// What is known of the task learned last, from its part of the record.
LearnReport report_of(const Json& part, Index task, double seconds) {
  LearnReport out;
  out.task = task + 1;
  out.rows = part.at("rows");
  out.inducing = part.at("inducing");
  out.epochs = part.at("epochs");
  out.bound = part.at("bound");
  out.validation = part.value("validation_accuracy", std::numeric_limits<double>::quiet_NaN());
  out.seconds = seconds;
  return out;
}

}  // namespace

Json run(const Stream& stream, const RunOptions& run_options, const RunCallbacks& callbacks,
         State* resume) {
  const std::unique_ptr<Learner> learner =
      make_learner(run_options.options, stream, run_options.regime, run_options.threads);
  Learner& model = *learner;
  if (resume) model.read(*resume);

  const Index T = stream.tasks();
  const auto measured = [&](Index t) {
    return run_options.on_validation ? stream.validation(t) : stream.test(t);
  };
  std::vector<Index> counts;
  for (Index t = 0; t < T; ++t)
    counts.push_back(
        std::ssize(run_options.on_validation ? stream.part(t).validation : stream.part(t).test));
  // An untrained model knows nothing: chance.
  AccuracyMatrix accuracy(counts,
                          std::vector<double>(static_cast<std::size_t>(T), 1.0 / stream.C()));
  // What has been measured so far. A task's learning comes into it before its accuracies do.
  Json lists;
  if (resume) {
    lists = Json::parse(resume->text.at("lists"));
    for (const Json& row : lists["accuracy_matrix"])
      accuracy.add_row(row.get<std::vector<double>>());
  } else {
    for (const char* key : {"accuracy_matrix", "entropy_matrix", "nll_matrix", "probability_matrix",
                            "calibration_matrix", "tasks", "state_bytes", "surfaces",
                            "learn_seconds", "evaluate_seconds"})
      lists[key] = Json::array();
  }
  const auto state = [&] {
    State out = model.state();
    out.text["lists"] = lists.dump();
    return out;
  };
  const auto pause = [&](const std::function<State()>& what, bool task_learned) {
    if (callbacks.pause) callbacks.pause(what, task_learned);
  };

  Metrics all;  // over all test points, at the end
  for (Index t = accuracy.learned(); t < T; ++t) {
    if (model.tasks() == t) {
      const Dataset train = stream.train(t);
      std::vector<Dataset> held;
      for (Index v = run_options.validation_seen ? 0 : t; v <= t; ++v)
        held.push_back(stream.validation(v));
      const Dataset validation = concatenate(held);
      LearnHooks hooks;
      hooks.progress = callbacks.progress;
      hooks.step = [&](const std::function<void(StateWriter&)>& under_way) {
        if (!under_way) return pause(nullptr, false);
        pause(
            [&] {
              State out = state();
              StateWriter task(out, "task/");
              under_way(task);
              return out;
            },
            false);
      };
      std::optional<StateReader> reader;
      if (resume && StateReader(*resume).has("task"))
        hooks.resume = &reader.emplace(*resume, "task/");
      const LearnReport report = model.learn(train, validation, hooks);
      lists["tasks"].push_back(told(report, stream, t));
      lists["learn_seconds"].push_back(report.seconds);
      lists["state_bytes"].push_back(model.state_bytes());
      pause(state, true);
    }

    const auto clock = std::chrono::steady_clock::now();
    std::vector<double> row;
    Json entropies = Json::array(), nlls = Json::array(), probabilities = Json::array(),
         errors = Json::array();
    Mat<double> seen(0, stream.C());
    std::vector<int> labels;
    for (Index j = 0; j < T; ++j) {
      const Dataset test = measured(j);
      const Mat<double> p = model.probabilities(test.X, j);
      const Metrics m = metrics(p, test.y);
      row.push_back(m.accuracy);
      entropies.push_back(m.entropy);
      nlls.push_back(m.nll);
      probabilities.push_back(m.probability);
      errors.push_back(m.calibration_error);
      pause(nullptr, false);
      if (j > t) continue;
      seen.conservativeResize(seen.rows() + p.rows(), Eigen::NoChange);
      seen.bottomRows(p.rows()) = p;
      labels.insert(labels.end(), test.y.begin(), test.y.end());
    }
    accuracy.add_row(row);
    all = metrics(seen, labels);
    lists["accuracy_matrix"].push_back(row);
    lists["entropy_matrix"].push_back(std::move(entropies));
    lists["nll_matrix"].push_back(std::move(nlls));
    lists["probability_matrix"].push_back(std::move(probabilities));
    lists["calibration_matrix"].push_back(std::move(errors));
    lists["tasks"].back()["final_accuracy"] = accuracy.final_accuracy();
    if (stream.name() == "toy") lists["surfaces"].push_back(surfaces(model, t));
    lists["evaluate_seconds"].push_back(seconds_since(clock));
    if (callbacks.task_done)
      callbacks.task_done({t, T, report_of(lists["tasks"].back(), t, lists["learn_seconds"].back()),
                           accuracy.final_accuracy(), lists["evaluate_seconds"].back(),
                           so_far(lists, stream, to_json(run_options.options)["seed"])});
  }

  Json record;
  record["experiment"] = run_options.experiment;
  const Json settings = to_json(run_options.options);
  record["model"] = settings["model"];
  record["preset"] = run_options.preset;
  record["seed"] = settings["seed"];
  record["final_accuracy"] = accuracy.final_accuracy();
  record["mean_task_accuracy"] = accuracy.mean_task_accuracy();
  record["forgetting"] = accuracy.forgetting();
  record["backward_transfer"] = accuracy.backward_transfer();
  record["forward_transfer"] = accuracy.forward_transfer();
  record["nll"] = all.nll;
  record["calibration_error"] = all.calibration_error;
  for (const char* key : {"accuracy_matrix", "entropy_matrix", "nll_matrix", "probability_matrix",
                          "calibration_matrix"})
    record[key] = lists[key];
  Json& reliability = record["reliability"] = Json::array();
  for (const CalibrationBin& bin : all.bins)
    reliability.push_back(
        {{"count", bin.count}, {"confidence", bin.confidence}, {"accuracy", bin.accuracy}});
  record["tasks"] = lists["tasks"];
  record["state_bytes"] = lists["state_bytes"];
  if (!lists["surfaces"].empty()) {
    record["surface_range"] = {-kGridEnd, kGridEnd};
    record["surfaces"] = lists["surfaces"];
    record["points"] = points_of(stream);
  }
  record["raw_rows"] = model.raw_rows();
  record["settings"] = settings;
  record["settings"]["evaluate"] = run_options.on_validation ? "validation" : "test";
  record["settings"]["regime"] = word_of(run_options.regime);
  record["settings"]["validation"] = run_options.validation_seen ? "seen" : "task";
  record["learn_seconds"] = lists["learn_seconds"];
  record["evaluate_seconds"] = lists["evaluate_seconds"];
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
  // Pictures of one seed are enough.
  for (std::size_t r = 1; r < runs.size(); ++r)
    for (Json& task : out["runs"][r]["tasks"]) task.erase("inducing_images");
  return out;
}

}  // namespace vargp
