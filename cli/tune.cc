#include "cli/tune.h"

#include <fmt/format.h>

#include <memory>
#include <numeric>

#include "cli/commands.h"
#include "cli/jobs.h"
#include "cli/setting_arguments.h"
#include "vargp/core/error.h"
#include "vargp/io/environment.h"

namespace vargp {
namespace {

struct Arguments {
  Search search;
  std::filesystem::path out;
  int jobs = 0;
};

std::string text_of(const std::vector<std::pair<std::string, Json>>& settings) {
  std::string out;
  for (const auto& [name, value] : settings)
    out += (out.empty() ? "" : ", ") + name + " " + value.dump();
  return out.empty() ? "the preset itself" : out;
}

}  // namespace

Json tune(const Search& search, const std::filesystem::path& out, int side_by_side) {
  require(search.trials >= 1, "--trials {}: must be at least 1", search.trials);
  require(search.rungs >= 1 && search.rungs <= 10, "--rungs {}: must be 1 to 10", search.rungs);
  std::vector<int> trials(static_cast<std::size_t>(search.trials));
  std::iota(trials.begin(), trials.end(), 0);
  Json rungs = Json::array();
  std::vector<std::pair<int, double>> ranks;
  for (int rung = 0; rung < search.rungs; ++rung) {
    fmt::print("rung {} of {}: {} trials of {} epochs\n", rung + 1, search.rungs, trials.size(),
               epochs_of(search, rung));
    std::fflush(stdout);
    const auto jobs = rung_jobs(search, out, trials, rung);
    try {
      run_jobs(jobs, side_by_side);
    } catch (const NumericalError&) {
      // It has said what failed. Settings that cannot be learned with are out.
    }
    ranks = ranking(jobs);
    if (ranks.empty()) throw NumericalError("every trial failed");
    Json lines = Json::array();
    trials.clear();
    for (const auto& [i, accuracy] : ranks) {
      Json line = {{"trial", i}, {"accuracy", accuracy}};
      for (const auto& [name, value] : trial(search, i)) line["settings"][name] = value;
      lines.push_back(std::move(line));
      if (trials.size() < std::max<std::size_t>(1, ranks.size() / 2)) trials.push_back(i);
    }
    rungs.push_back({{"epochs", epochs_of(search, rung)}, {"trials", std::move(lines)}});
  }
  const auto [best, accuracy] = ranks.front();
  Json preset_file = {{"experiment", search.base.experiment},
                      {"model", search.base.model},
                      {"preset", search.base.preset},
                      {"settings", Json::object()},
                      {"validation_accuracy", accuracy},
                      {"seed", search.seed},
                      {"rungs", std::move(rungs)},
                      {"environment", environment()}};
  for (const auto& [name, value] : trial(search, best)) preset_file["settings"][name] = value;
  fmt::print("best: trial {}, {:.2f} % on validation data: {}\n", best, 100 * accuracy,
             text_of(trial(search, best)));
  return preset_file;
}

void add_tune(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "tune", "Search for good settings of an experiment, on its validation data");
  auto a = std::make_shared<Arguments>();
  Search& s = a->search;
  s.base.model = "var-gp";
  command->add_option("experiment", s.base.experiment, "As for vargp run")->required();
  command->add_option("--model", s.base.model, "As for vargp run")->capture_default_str();
  command->add_option("--preset", s.base.preset, "What the settings that are not searched are from")
      ->capture_default_str();
  command->add_option("--trials", s.trials, "How many settings are tried, the preset's among them")
      ->capture_default_str();
  command
      ->add_option("--rungs", s.rungs,
                   "How often the worse half is discarded, less one; epochs double every time")
      ->capture_default_str();
  command->add_option("--seed", s.seed, "Of the trials, and of the runs")->capture_default_str();
  command->add_option("--tasks", s.base.stream.tasks, "Number of tasks of a permuted experiment")
      ->capture_default_str();
  command->add_option("--data-dir", s.base.stream.data,
                      "Folder with the four IDX files, instead of the cache");
  command->add_option("--jobs", a->jobs, "Runs side by side; 0: one for every core")
      ->capture_default_str();
  command->add_option(
      "--out", a->out,
      "Folder for preset.json and the records, from which a search that was stopped "
      "goes on; runs/tune-EXPERIMENT-MODEL if not given");
  add_setting_options(*command, s.base);
  command->callback([a] {
    RunSpec& base = a->search.base;
    base.seed = a->search.seed;
    const Json set = to_json(choice_of(base));
    for (auto& [name, value] : base.changed) value = set.at(name);  // numbers, not texts
    a->search.space = search_space(base);
    require(!a->search.space.empty(), "{}: all that is searched for this model has been set",
            base.model);
    if (a->out.empty()) a->out = "runs/tune-" + base.experiment + "-" + base.model;
    const Json preset_file = tune(a->search, a->out, side_by_side_of(a->jobs));
    const auto path = a->out / "preset.json";
    write_record(path, preset_file);
    fmt::print("preset: {0}; vargp run {1} --model {2} --preset {0} takes it\n", path.string(),
               base.experiment, base.model);
  });
}

}  // namespace vargp
