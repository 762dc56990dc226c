#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/run_progress.h"
#include "vargp/core/error.h"
#include "vargp/experiment/presets.h"
#include "vargp/experiment/runner.h"
#include "vargp/io/record.h"
#include "vargp/io/safetensors.h"
#include "vargp/models/settings.h"
#include "vargp/report/report.h"

namespace vargp {
namespace {

struct Arguments {
  std::string experiment, model = "coupled", preset = "default", validation = "task";
  std::uint64_t seed = 1;
  int seeds = 1, threads = 0;
  bool resume = false;
  double checkpoint_minutes = 3;
  StreamOptions stream;
  std::filesystem::path out;
  std::vector<std::pair<std::string, std::string>> changed;  // settings named on the command line
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

// All that the numbers of a run depend on.
Json identity(const Arguments& a, const Options& options) {
  Json out = to_json(options);
  out["experiment"] = a.experiment;
  out["preset"] = a.preset;
  out["seed"] = a.seed;
  out["seeds"] = a.seeds;
  out["validation"] = a.validation;
  out["tasks"] = a.stream.tasks;
  out["order"] = a.stream.order;
  return out;
}

// What a run can go on from: the state of one seed, the records of those before it, and identity().
class Checkpoint {
 public:
  Checkpoint(const std::filesystem::path& folder, Json identity, double minutes)
      : path_(folder / "checkpoint.safetensors"), identity_(std::move(identity)), every_(minutes) {
    // What a program that was ended while it wrote has left.
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("checkpoint.safetensors.") && name.ends_with(".tmp"))
        std::filesystem::remove(entry.path());
    }
  }

  bool exists() const { return std::filesystem::exists(path_); }
  const std::filesystem::path& path() const { return path_; }
  bool due() const { return std::chrono::steady_clock::now() - last_ > every_; }

  void write(State state, const std::vector<Json>& runs) {
    state.text["run"] = identity_.dump();
    state.text["records"] = Json(runs).dump();
    write_safetensors(path_, state);
    last_ = std::chrono::steady_clock::now();
  }

  State read(std::vector<Json>& runs) const {
    State state = read_safetensors(path_);
    for (const char* name : {"run", "records", "lists"})
      require(state.text.contains(name), "{}: __metadata__ has no {}: not a checkpoint of a run",
              path_.string(), name);
    const Json then = Json::parse(state.text["run"]);
    for (const auto& [name, now] : identity_.items())
      require(then.value(name, Json()) == now,
              "{}: {} was {} there, and is {} now: a run goes on with the settings that it began "
              "with; without --resume it starts anew",
              path_.string(), name, then.value(name, Json()).dump(), now.dump());
    runs = Json::parse(state.text["records"]).get<std::vector<Json>>();
    return state;
  }

  void remove() const { std::filesystem::remove(path_); }

 private:
  std::filesystem::path path_;
  Json identity_;
  std::chrono::duration<double, std::ratio<60>> every_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void run_command(const Arguments& a) {
  Options base;
  set(base, "model", a.model);
  Options options = preset(a.experiment, base.model, a.preset);
  for (const auto& [name, value] : a.changed) set(options, name, value);
  options.validate();
  require(a.seeds >= 1, "--seeds {}: must be at least 1", a.seeds);
  const auto stream_of = [&](std::uint64_t seed) {
    StreamOptions stream = a.stream;
    stream.seed = seed;
    return make_stream(a.experiment, stream);
  };
  std::optional<Stream> stream = stream_of(a.seed);  // before anything is written
  std::error_code failed;
  std::filesystem::create_directories(a.out, failed);
  require(!failed, "--out {}: this folder cannot be made: {}", a.out.string(), failed.message());
  const auto path = a.out / "record.json";

  const Interrupt interrupt;
  RunProgress progress(a.out,
                       {{"experiment", a.experiment}, {"model", a.model}, {"preset", a.preset}});
  Checkpoint checkpoint(a.out, identity(a, options), a.checkpoint_minutes);
  std::vector<Json> runs;
  std::optional<State> resume;
  if (!a.resume) progress.remove();
  if (a.resume && checkpoint.exists())
    resume = checkpoint.read(runs);
  else if (a.resume)
    fmt::print("no checkpoint in {}: starting from the beginning\n", a.out.string());
  else if (checkpoint.exists())
    fmt::print("starting anew; {} would have gone on with --resume\n", checkpoint.path().string());
  for (int s = static_cast<int>(runs.size()); s < a.seeds; ++s) {
    options.seed = a.seed + static_cast<std::uint64_t>(s);
    if (s > 0) stream = stream_of(options.seed);
    ProgressDisplay display(stream->tasks(), fmt::format("{}, {}, preset {}, seed {}", a.experiment,
                                                         a.model, a.preset, options.seed));
    RunCallbacks callbacks;
    callbacks.progress = [&](const Progress& p) { display.epoch(p); };
    callbacks.task_done = [&](const TaskResult& r) {
      display.task_done(r);
      progress.task_done(r);
    };
    callbacks.pause = [&](const std::function<State()>& state, bool task_learned) {
      const bool stop = interrupt.requested();
      if (state && (stop || task_learned || checkpoint.due())) checkpoint.write(state(), runs);
      if (stop) {
        display.clear();
        throw Interrupted();
      }
    };
    runs.push_back(run(*stream,
                       {a.experiment, a.preset, options, a.threads, a.validation == "seen"},
                       callbacks, resume ? &*resume : nullptr));
    resume.reset();
    // Written after every seed, so that a long series leaves what it has.
    write_record(path, summarise(runs));
  }
  checkpoint.remove();
  progress.remove();
  print_summary(summarise(runs));
  fmt::print("record: {}\n", path.string());
  write_report({path}, a.out / "report.html");
  fmt::print("report: {}\n", (a.out / "report.html").string());
}

}  // namespace

void add_run(CLI::App& app) {
  CLI::App* run = app.add_subcommand(
      "run", "Run an experiment: a stream of tasks, learned one after the other");
  std::string list = "Which one:";
  for (const auto& e : experiments()) list += "\n  " + e.name + ": " + e.description;
  auto a = std::make_shared<Arguments>();
  run->add_option("experiment", a->experiment, list)->required();
  run->add_option("--model", a->model, "coupled (ours) or var-gp (the paper's)")
      ->capture_default_str();
  run->add_option("--preset", a->preset, "quick, default, best, or paper (the authors' settings)")
      ->capture_default_str();
  run->add_option("--seed", a->seed, "The first seed")->capture_default_str();
  run->add_option("--seeds", a->seeds, "How many seeds, one after the other")
      ->capture_default_str();
  run->add_option("--threads", a->threads, "Threads; 0: all cores. The results do not depend on it")
      ->capture_default_str();
  run->add_option("--out", a->out,
                  "Folder for record.json; runs/EXPERIMENT-MODEL-PRESET if not given");
  run->add_flag("--resume", a->resume,
                "Go on from the checkpoint in that folder, where a run was stopped");
  run->add_option("--checkpoint-minutes", a->checkpoint_minutes)->group("");  // for tests
  run->add_option("--data-dir", a->stream.data,
                  "Folder with the four IDX files, instead of the cache");
  run->add_option("--tasks", a->stream.tasks, "Number of tasks of a permuted experiment")
      ->capture_default_str();
  run->add_option("--order", a->stream.order,
                  "Classes of each task of a split one, as 0,1|2,3|4,5");
  run->add_option(
         "--validation", a->validation,
         "task: validate on the current task only; seen: on all so far, as the authors did")
      ->check(CLI::IsMember({"task", "seen"}))
      ->capture_default_str();
  for (const Setting& s : settings()) {
    if (s.name == "model" || s.name == "seed") continue;
    run->add_option_function<std::string>(
           "--" + s.name,
           [a, name = s.name](const std::string& value) { a->changed.emplace_back(name, value); },
           s.help)
        ->group("Settings that override the preset");
  }
  run->add_flag_callback(
         "--per-class", [a] { a->changed.emplace_back("shared", "false"); },
         "Inducing inputs for each class: the same as --shared false")
      ->group("Settings that override the preset");
  run->callback([a] {
    if (a->out.empty()) a->out = "runs/" + a->experiment + "-" + a->model + "-" + a->preset;
    run_command(*a);
  });
}

}  // namespace vargp
