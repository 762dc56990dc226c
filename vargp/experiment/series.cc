#include "vargp/experiment/series.h"

#include <chrono>
#include <optional>

#include "vargp/core/error.h"
#include "vargp/io/environment.h"
#include "vargp/io/safetensors.h"

namespace vargp {
namespace {

// What a series can go on from: the state of one seed, the records of those before it, and
// identity_of().
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
    state.text["commit"] = commit();
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

// All tasks at once has a model of its own among the networks.
Regime regime_of(const RunSpec& spec) {
  if (spec.regime == "joint" || spec.model == "joint") return Regime::kJoint;
  return spec.regime == "fine-tune" ? Regime::kFineTune : Regime::kContinual;
}

}  // namespace

ModelChoice choice_of(const RunSpec& spec) {
  ModelChoice choice;
  if (const std::filesystem::path file = spec.preset; file.extension() == ".json") {
    const Json preset_file = read_record(file);
    require(preset_file.contains("settings"), "{}: a preset file has settings", file.string());
    require(preset_file.value("model", spec.model) == spec.model,
            "{}: these are settings of --model {}, not {}", file.string(),
            preset_file["model"].dump(), spec.model);
    choice = choose(spec.experiment, spec.model, preset_file.value("preset", "default"));
    for (const auto& [name, value] : preset_file["settings"].items()) set(choice, name, value);
  } else {
    choice = choose(spec.experiment, spec.model, spec.preset);
  }
  for (const auto& [name, value] : spec.changed) set(choice, name, value);
  set_seed(choice, spec.seed);
  validate(choice, regime_of(spec));
  return choice;
}

RunOptions run_options_of(const RunSpec& spec, int threads) {
  return {spec.experiment,
          spec.preset,
          choice_of(spec),
          threads,
          spec.validation == "seen",
          regime_of(spec),
          spec.evaluate == "validation"};
}

Stream stream_of(const RunSpec& spec) {
  StreamOptions stream = spec.stream;
  stream.seed = spec.seed;
  stream.joint = regime_of(spec) == Regime::kJoint;
  return make_stream(spec.experiment, stream);
}

Json identity_of(const RunSpec& spec) {
  Json out = to_json(choice_of(spec));
  out["experiment"] = spec.experiment;
  out["preset"] = spec.preset;
  out["seed"] = spec.seed;
  out["seeds"] = spec.seeds;
  out["validation"] = spec.validation;
  out["regime"] = spec.regime;
  out["evaluate"] = spec.evaluate;
  out["tasks"] = spec.stream.tasks;
  out["order"] = spec.stream.order;
  return out;
}

Json run_series(const RunSpec& spec, const SeriesOptions& series, const SeriesHooks& hooks) {
  require(spec.seeds >= 1, "--seeds {}: must be at least 1", spec.seeds);
  RunSpec now = spec;  // of one seed after the other
  RunOptions options = run_options_of(now, series.threads);
  std::optional<Stream> stream = stream_of(now);  // before anything is written
  std::error_code failed;
  std::filesystem::create_directories(series.out, failed);
  require(!failed, "--out {}: this folder cannot be made: {}", series.out.string(),
          failed.message());

  Checkpoint checkpoint(series.out, identity_of(spec), series.checkpoint_minutes);
  std::vector<Json> runs;
  std::optional<State> resume;
  const auto note = [&](const std::string& text) {
    if (hooks.note) hooks.note(text);
  };
  if (series.resume && checkpoint.exists()) {
    resume = checkpoint.read(runs);
    if (const std::string then = resume->text["commit"]; then != commit())
      note(
          fmt::format("this checkpoint was written by commit {}, and {} goes on: the end may "
                      "differ from that of an uninterrupted run",
                      then, commit()));
  } else if (series.resume)
    note(fmt::format("no checkpoint in {}: starting from the beginning", series.out.string()));
  else if (checkpoint.exists())
    note(fmt::format("starting anew; {} would have gone on with --resume",
                     checkpoint.path().string()));
  for (int s = static_cast<int>(runs.size()); s < spec.seeds; ++s) {
    now.seed = spec.seed + static_cast<std::uint64_t>(s);
    if (s > 0) {
      options = run_options_of(now, series.threads);
      stream = stream_of(now);
    }
    if (hooks.begin) hooks.begin(now.seed, stream->tasks());
    RunCallbacks callbacks;
    callbacks.progress = hooks.progress;
    callbacks.task_done = hooks.task_done;
    callbacks.pause = [&](const std::function<State()>& state, bool task_learned) {
      const bool stop = hooks.stop_wanted && hooks.stop_wanted();
      if (state && (stop || task_learned || checkpoint.due())) checkpoint.write(state(), runs);
      if (stop) hooks.stop();
    };
    runs.push_back(run(*stream, options, callbacks, resume ? &*resume : nullptr));
    resume.reset();
    // Written after every seed, so that a long series leaves what it has.
    write_record(series.out / "record.json", summarise(runs));
  }
  checkpoint.remove();
  return summarise(runs);
}

}  // namespace vargp
