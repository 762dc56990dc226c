// The model behind an estimator: TableModel, the same class and the same file as the command
// line's. To Python it is a value: learning gives a new one, so a call that fails or is
// interrupted changes nothing, and threads that predict meanwhile are not disturbed.
#include <fmt/format.h>
#include <pybind11/eigen.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings/arrays.h"
#include "python/bindings/interrupt.h"
#include "python/bindings/module.h"
#include "vargp/core/setting_table.h"
#include "vargp/io/text.h"
#include "vargp/models/settings.h"
#include "vargp/table/table_model.h"

namespace vargp::python {
namespace {

// Rows predicted between two looks at the signals: what is copied of a large array is this much.
constexpr Index kBlock = 8192;

// How rows are taken in, by the names of the estimators' parameters.
const std::vector<SettingEntry<TableModelOptions>>& table_settings() {
  using O = TableModelOptions;
  static const std::vector<SettingEntry<O>> table = {
      choice<Precision, O>("precision", &O::precision,
                           {{"double", Precision::kDouble}, {"float", Precision::kFloat}}, ""),
      number<O>("validation", &O::validation, ""), whole<int, O>("threads", &O::threads, ""),
      flag<O>("standardize", &O::standardise, ""),
      choice<Missing, O>("missing", &O::missing,
                         {{"error", Missing::kError}, {"mean", Missing::kMean}}, "")};
  return table;
}

TableModelOptions options_from(const std::string& text) {
  TableModelOptions out;
  const auto json = nlohmann::json::parse(text);
  for (const auto& [name, value] : json.items())
    if (name != "settings") set_entry(table_settings(), out, name, value);
  for (const auto& [name, value] : json.at("settings").items()) set(out, name, value);
  return out;
}

std::string options_text(const TableModelOptions& options) {
  auto out = entries_to_json(table_settings(), options);
  out["settings"] = to_json(static_cast<const Options&>(options));
  return out.dump();
}

std::string brief(const TableReport& r) {
  std::string out = fmt::format("task {}: {} rows, {} inducing points, bound {:.4g}", r.task,
                                r.record.rows, r.record.inducing, r.record.bound);
  if (!r.new_classes.empty()) out += ", new classes " + listed(r.new_classes);
  if (r.record.validation) out += fmt::format(", validation {:.4g}", *r.record.validation);
  return out + fmt::format(", {:.2f} s", r.record.seconds);
}

// The model after one more task, and a line on it. y: labels as text, or targets.
template <class Targets>
py::tuple learned(const TableModel& model, const py::array& X, const Targets& y,
                  std::vector<std::string> features, const py::object& progress) {
  const PointsView view(X);
  TaskInfo info;
  info.features = std::move(features);
  info.source = "Python";
  info.hooks.step = [](const auto&) { check_signals(); };
  if (!progress.is_none())
    info.hooks.progress = [&](const Progress& p) {
      const py::gil_scoped_acquire lock;
      progress(p.task, p.epoch, p.epochs, p.bound, p.validation);
    };
  TableModel out = model;
  TableReport report;
  {
    const py::gil_scoped_release unlocked;
    report = out.learn(view.points(), y, info);
  }
  return py::make_tuple(std::move(out), brief(report));
}

// mean, var [N, C]; classes: probability [N, C], label [N] (places among the classes), entropy [N];
// regression: sd [N], with the noise.
py::dict predict(const TableModel& model, const py::array& X) {
  const PointsView view(X);
  const Index N = view.points().rows(), C = model.regression() ? 1 : std::ssize(model.classes());
  py::dict out;
  std::vector<std::pair<double*, Eigen::MatrixXd TablePrediction::*>> matrices;
  std::vector<std::pair<double*, Eigen::VectorXd TablePrediction::*>> vectors;
  const auto matrix = [&](const char* name, Eigen::MatrixXd TablePrediction::*field) {
    auto array = new_array(N, C);
    matrices.emplace_back(array.mutable_data(), field);
    out[name] = std::move(array);
  };
  const auto vector = [&](const char* name, Eigen::VectorXd TablePrediction::*field) {
    auto array = new_array(N);
    vectors.emplace_back(array.mutable_data(), field);
    out[name] = std::move(array);
  };
  matrix("mean", &TablePrediction::mean);
  matrix("var", &TablePrediction::var);
  Index* labels = nullptr;
  if (model.regression()) {
    vector("sd", &TablePrediction::sd);
  } else {
    matrix("probability", &TablePrediction::probability);
    vector("entropy", &TablePrediction::entropy);
    py::array_t<Index> array(N);
    labels = array.mutable_data();
    out["label"] = std::move(array);
  }
  const py::gil_scoped_release unlocked;
  for (Index first = 0; first < N; first += kBlock) {
    const Index count = std::min(kBlock, N - first);
    const TablePrediction p = model.predict(view.points().middle_rows(first, count));
    for (const auto& [to, field] : matrices)
      Eigen::Map<RowMat<double>>(to + first * C, count, C) = p.*field;
    for (const auto& [to, field] : vectors)
      Eigen::Map<Eigen::VectorXd>(to + first, count) = p.*field;
    if (labels) std::copy(p.label.begin(), p.label.end(), labels + first);
    check_signals();
  }
  return out;
}

py::list history(const TableModel& model) {
  py::list out;
  const auto moved = model.moved();
  for (std::size_t t = 0; t < moved.size(); ++t) {
    const TaskRecord& r = model.history()[t];
    py::dict one;
    one["date"] = r.date;
    one["source"] = r.source;
    one["rows"] = r.rows;
    one["inducing"] = r.inducing;
    one["bound"] = r.bound;
    one["validation"] = r.validation;
    one["seconds"] = r.seconds;
    one["moved"] = moved[t].distance;
    out.append(one);
  }
  return out;
}

}  // namespace

void define_model(py::module_& module) {
  const auto tuple_of = [](const TableModel& m) {
    return py::make_tuple(py::bytes(m.bytes()), m.options().threads);
  };
  const auto of_tuple = [](const py::tuple& t) {
    return TableModel::from_bytes(t[0].cast<std::string>(), "the pickled model", t[1].cast<int>());
  };
  py::class_<TableModel>(module, "Model")
      .def_static(
          "classifier",
          [](const std::string& options, std::vector<std::string> classes) {
            TableModelOptions o = options_from(options);
            o.classes = std::move(classes);
            return TableModel(o);
          },
          py::arg("options"), py::arg("classes"))
      .def_static(
          "regressor",
          [](const std::string& options) {
            TableModelOptions o = options_from(options);
            o.regression = true;
            return TableModel(o);
          },
          py::arg("options"))
      .def("learned", &learned<std::vector<std::string>>, py::arg("X"), py::arg("y"),
           py::arg("features"), py::arg("progress"))
      .def("learned", &learned<Eigen::VectorXd>, py::arg("X"), py::arg("y"), py::arg("features"),
           py::arg("progress"))
      .def("predict", &predict, py::arg("X"))
      .def_property_readonly("regression", &TableModel::regression)
      .def_property_readonly("tasks", &TableModel::tasks)
      .def_property_readonly("classes", &TableModel::classes)
      .def_property_readonly("grows", [](const TableModel& m) { return m.schema().grows; })
      .def_property_readonly("named", [](const TableModel& m) { return m.schema().named; })
      .def_property_readonly("columns",
                             [](const TableModel& m) {
                               std::vector<std::string> out;
                               for (const Column& c : m.schema().columns) out.push_back(c.name);
                               return out;
                             })
      .def_property_readonly("options",
                             [](const TableModel& m) {
                               TableModelOptions o;
                               static_cast<EstimatorOptions&>(o) = m.options();
                               o.standardise = m.schema().standardise;
                               o.missing = m.schema().missing;
                               return options_text(o);
                             })
      .def_property_readonly("noise", &TableModel::noise)
      .def_property_readonly("scale", &TableModel::scale)
      .def_property_readonly("state_bytes", &TableModel::state_bytes)
      .def("history", &history)
      .def("inducing_inputs", &TableModel::inducing_inputs)
      .def("log_lengthscales",
           [](const TableModel& m) {
             std::vector<double> mean, deviation;
             for (const Lengthscale& l : m.lengthscales()) {
               mean.push_back(std::log(l.units));
               deviation.push_back(l.deviation);
             }
             return py::make_tuple(mean, deviation);
           })
      .def("save", &TableModel::save, py::arg("path"))
      .def_static("load", &TableModel::load, py::arg("path"), py::arg("threads"))
      .def(py::pickle(tuple_of, of_tuple));
  module.def("default_options", [] { return options_text(TableModelOptions()); });
}

}  // namespace vargp::python
