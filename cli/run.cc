#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/run_progress.h"
#include "cli/setting_arguments.h"
#include "vargp/experiment/series.h"
#include "vargp/report/report.h"

namespace vargp {
namespace {

struct Arguments {
  RunSpec spec;
  SeriesOptions series;
};

void print_summary(const Json& summary) {
  const auto figure = [&](const char* key) {
    const double mean = 100 * summary[key]["mean"].get<double>();
    const double deviation = 100 * summary[key]["standard_deviation"].get<double>();
    return summary["runs"].size() > 1 ? fmt::format("{:.2f} +- {:.2f} %", mean, deviation)
                                      : fmt::format("{:.2f} %", mean);
  };
  fmt::print("accuracy {} over all tasks, forgetting {}, NLL {:.3f}, calibration error {}\n",
             figure("final_accuracy"), figure("forgetting"), summary["nll"]["mean"].get<double>(),
             figure("calibration_error"));
}

void run_command(const Arguments& a) {
  const Interrupt interrupt;
  std::optional<ProgressDisplay> display;
  const RunProgress progress(
      a.series.out,
      {{"experiment", a.spec.experiment}, {"model", a.spec.model}, {"preset", a.spec.preset}});
  if (!a.series.resume) progress.remove();
  SeriesHooks hooks;
  hooks.begin = [&](std::uint64_t seed, Index tasks) {
    display.emplace(tasks, fmt::format("{}, {}, preset {}, seed {}", a.spec.experiment,
                                       a.spec.model, a.spec.preset, seed));
  };
  hooks.progress = [&](const Progress& p) { display->epoch(p); };
  hooks.task_done = [&](const TaskResult& r) {
    display->task_done(r);
    progress.task_done(r);
  };
  hooks.note = [](const std::string& text) { fmt::print("{}\n", text); };
  hooks.stop_wanted = [&] { return interrupt.requested(); };
  hooks.stop = [&] {
    display->clear();
    throw Interrupted();
  };
  print_summary(run_series(a.spec, a.series, hooks));
  progress.remove();
  const auto record = a.series.out / "record.json", report = a.series.out / "report.html";
  fmt::print("record: {}\n", record.string());
  write_report({record}, report);
  fmt::print("report: {}\n", report.string());
}

}  // namespace

void add_run(CLI::App& app) {
  CLI::App* run = app.add_subcommand(
      "run", "Run an experiment: a stream of tasks, learned one after the other");
  std::string list = "Which one:";
  for (const auto& e : experiments()) list += "\n  " + e.name + ": " + e.description;
  auto a = std::make_shared<Arguments>();
  run->add_option("experiment", a->spec.experiment, list)->required();
  run->add_option("--model", a->spec.model,
                  fmt::format("coupled (ours), var-gp (the paper's), or another of {}",
                              fmt::join(model_names(), ", ")))
      ->capture_default_str();
  run->add_option(
         "--preset", a->spec.preset,
         "quick, default, best, paper (the authors' settings), or a file that vargp tune wrote")
      ->capture_default_str();
  run->add_option("--seed", a->spec.seed, "The first seed")->capture_default_str();
  run->add_option("--seeds", a->spec.seeds, "How many seeds, one after the other")
      ->capture_default_str();
  run->add_option("--threads", a->series.threads,
                  "Threads; 0: all cores. The results do not depend on it")
      ->capture_default_str();
  run->add_option("--out", a->series.out,
                  "Folder for record.json; runs/EXPERIMENT-MODEL-PRESET if not given");
  run->add_flag("--resume", a->series.resume,
                "Go on from the checkpoint in that folder, where a run was stopped");
  run->add_option("--checkpoint-minutes", a->series.checkpoint_minutes)->group("");  // for tests
  run->add_option("--data-dir", a->spec.stream.data,
                  "Folder with the four IDX files, instead of the cache");
  run->add_option("--tasks", a->spec.stream.tasks, "Number of tasks of a permuted experiment")
      ->capture_default_str();
  run->add_option("--order", a->spec.stream.order,
                  "Classes of each task of a split one, as 0,1|2,3|4,5");
  run->add_option(
         "--validation", a->spec.validation,
         "task: validate on the current task only; seen: on all so far, as the authors did")
      ->check(CLI::IsMember({"task", "seen"}))
      ->capture_default_str();
  run->add_option("--evaluate", a->spec.evaluate,
                  "Points that accuracies are measured on: test, or validation to choose settings")
      ->check(CLI::IsMember({"test", "validation"}))
      ->capture_default_str();
  run->add_option("--regime", a->spec.regime,
                  "continual; joint: all tasks at once; fine-tune: a GP that begins anew with each")
      ->check(CLI::IsMember({"continual", "joint", "fine-tune"}))
      ->capture_default_str();
  add_setting_options(*run, a->spec);
  run->callback([a] {
    if (a->series.out.empty())
      a->series.out = "runs/" + a->spec.experiment + "-" + a->spec.model + "-" +
                      std::filesystem::path(a->spec.preset).stem().string();
    run_command(*a);
  });
}

}  // namespace vargp
