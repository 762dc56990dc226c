// Experiments: the runs of the command line's `vargp run`, without files.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <string>

#include "python/bindings/interrupt.h"
#include "python/bindings/module.h"
#include "vargp/experiment/series.h"
#include "vargp/io/environment.h"

namespace vargp::python {
namespace {

namespace py = pybind11;

// The record of one run, as JSON. settings: a JSON object that overrides the preset. progress and
// task_done are called with what is to be shown, or are None.
std::string run_experiment(const std::string& experiment, const std::string& model,
                           const std::string& preset_name, std::uint64_t seed, Index tasks,
                           const std::string& order, const std::filesystem::path& data, int threads,
                           bool validation_seen, const std::string& settings,
                           const py::object& progress, const py::object& task_done) {
  RunSpec spec;
  spec.experiment = experiment;
  spec.model = model;
  spec.preset = preset_name;
  spec.seed = seed;
  if (validation_seen) spec.validation = "seen";
  spec.stream.tasks = tasks;
  spec.stream.order = order;
  spec.stream.data = data;
  const auto changed = Json::parse(settings);
  for (const auto& [name, value] : changed.items()) spec.changed.emplace_back(name, value);
  const RunOptions options = run_options_of(spec, threads);

  RunCallbacks callbacks;
  callbacks.pause = [](const std::function<State()>&, bool) { check_signals(); };
  if (!progress.is_none())
    callbacks.progress = [&](const Progress& p) {
      const py::gil_scoped_acquire lock;
      progress(p.task, p.epoch, p.epochs, p.bound, p.validation);
    };
  if (!task_done.is_none())
    callbacks.task_done = [&](const TaskResult& r) {
      const py::gil_scoped_acquire lock;
      task_done(r.task, r.tasks, r.report.brief(), r.accuracy_so_far);
    };
  const py::gil_scoped_release unlocked;
  return run(stream_of(spec), options, callbacks).dump();
}

}  // namespace

void define_experiments(py::module_& module) {
  module.def("run", &run_experiment, py::arg("experiment"), py::arg("model"), py::arg("preset"),
             py::arg("seed"), py::arg("tasks"), py::arg("order"), py::arg("data"),
             py::arg("threads"), py::arg("validation_seen"), py::arg("settings"),
             py::arg("progress"), py::arg("task_done"));
  module.def("environment", [] { return environment().dump(); });
  module.def("experiments", [] {
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& e : experiments()) out.emplace_back(e.name, e.description);
    return out;
  });
}

}  // namespace vargp::python
