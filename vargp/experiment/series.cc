#include "vargp/experiment/series.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "vargp/core/error.h"
#include "vargp/io/atomic_file.h"
#include "vargp/io/safetensors.h"
#include "vargp/models/settings.h"

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

// A picture (PGM, grey) with a row for every task and up to 20 of its inducing inputs, where inputs
// are square images.
void write_picture(const std::filesystem::path& path, const std::vector<Eigen::MatrixXd>& Z) {
  constexpr Index kColumns = 20;
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(Z[0].cols()))));
  if (side < 8 || side * side != Z[0].cols()) return;
  const Index rows = std::ssize(Z) * side, cols = kColumns * side;
  std::string pixels(static_cast<std::size_t>(rows * cols), '\0');
  for (Index t = 0; t < std::ssize(Z); ++t) {
    const Eigen::MatrixXd& Z_t = Z[static_cast<std::size_t>(t)];
    for (Index k = 0; k < std::min(kColumns, Z_t.rows()); ++k)
      for (Index p = 0; p < Z_t.cols(); ++p)
        pixels[static_cast<std::size_t>((t * side + p / side) * cols + k * side + p % side)] =
            static_cast<char>(std::lround(255 * std::clamp(Z_t(k, p), 0.0, 1.0)));
  }
  write_file(path, fmt::format("P5\n{} {}\n255\n", cols, rows) + pixels);
}

}  // namespace

Options options_of(const RunSpec& spec) {
  Options options;
  set(options, "model", spec.model);
  if (const std::filesystem::path file = spec.preset; file.extension() == ".json") {
    const Json preset_file = read_record(file);
    require(preset_file.contains("settings"), "{}: a preset file has settings", file.string());
    require(preset_file.value("model", spec.model) == spec.model,
            "{}: these are settings of --model {}, not {}", file.string(),
            preset_file["model"].dump(), spec.model);
    options = preset(spec.experiment, options.model, preset_file.value("preset", "default"));
    for (const auto& [name, value] : preset_file["settings"].items()) set(options, name, value);
  } else {
    options = preset(spec.experiment, options.model, spec.preset);
  }
  for (const auto& [name, value] : spec.changed) set(options, name, value);
  options.seed = spec.seed;
  options.validate();
  return options;
}

Json identity_of(const RunSpec& spec) {
  Json out = to_json(options_of(spec));
  out["experiment"] = spec.experiment;
  out["preset"] = spec.preset;
  out["seed"] = spec.seed;
  out["seeds"] = spec.seeds;
  out["validation"] = spec.validation;
  out["tasks"] = spec.stream.tasks;
  out["order"] = spec.stream.order;
  if (spec.tuning) out["measured_on"] = "validation";
  return out;
}

Json run_series(const RunSpec& spec, const SeriesOptions& series, const SeriesHooks& hooks) {
  Options options = options_of(spec);
  require(spec.seeds >= 1, "--seeds {}: must be at least 1", spec.seeds);
  const auto stream_of = [&](std::uint64_t seed) {
    StreamOptions stream = spec.stream;
    stream.seed = seed;
    return make_stream(spec.experiment, stream);
  };
  std::optional<Stream> stream = stream_of(spec.seed);  // before anything is written
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
  if (series.resume && checkpoint.exists())
    resume = checkpoint.read(runs);
  else if (series.resume)
    note(fmt::format("no checkpoint in {}: starting from the beginning", series.out.string()));
  else if (checkpoint.exists())
    note(fmt::format("starting anew; {} would have gone on with --resume",
                     checkpoint.path().string()));
  for (int s = static_cast<int>(runs.size()); s < spec.seeds; ++s) {
    options.seed = spec.seed + static_cast<std::uint64_t>(s);
    if (s > 0) stream = stream_of(options.seed);
    if (hooks.begin) hooks.begin(options.seed, stream->tasks());
    RunCallbacks callbacks;
    callbacks.progress = hooks.progress;
    callbacks.task_done = hooks.task_done;
    callbacks.pause = [&](const std::function<State()>& state, bool task_learned) {
      const bool stop = hooks.stop_wanted && hooks.stop_wanted();
      if (state && (stop || task_learned || checkpoint.due())) checkpoint.write(state(), runs);
      if (stop) hooks.stop();
    };
    if (!spec.experiment.starts_with("permuted"))
      callbacks.inducing = [&](const std::vector<Eigen::MatrixXd>& Z) {
        write_picture(series.out / "inducing.pgm", Z);
      };
    runs.push_back(run(*stream,
                       {spec.experiment, spec.preset, options, series.threads,
                        spec.validation == "seen", spec.tuning},
                       callbacks, resume ? &*resume : nullptr));
    resume.reset();
    // Written after every seed, so that a long series leaves what it has.
    write_record(series.out / "record.json", summarise(runs));
  }
  checkpoint.remove();
  return summarise(runs);
}

}  // namespace vargp
