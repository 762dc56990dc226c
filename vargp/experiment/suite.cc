#include "vargp/experiment/suite.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "vargp/core/error.h"
#include "vargp/io/environment.h"
#include "vargp/models/settings.h"

namespace vargp {
namespace {

// A field of an object in a file, or an error that says which file, where and what was expected.
template <class T>
T field(const Json& object, const char* name, const std::string& where, const char* expected) {
  try {
    return object.at(name).get<T>();
  } catch (const Json::exception&) {
    fail("{}: {} must be {}", where, name,
         object.contains(name) ? fmt::format("{}, not {}", expected, object[name].dump())
                               : std::string(expected));
  }
}

SuiteRow read_row(const Json& json, int seeds, const std::string& where) {
  static const std::set<std::string> known = {"name",     "experiment", "model", "preset",
                                              "settings", "regime",     "tasks", "seeds",
                                              "minutes",  "paper"};
  require(json.is_object(), "{}: must be an object", where);
  for (const auto& [name, value] : json.items())
    require(known.contains(name), "{}: there is no field {}", where, name);
  SuiteRow row;
  row.name = field<std::string>(json, "name", where, "text");
  row.spec.experiment = field<std::string>(json, "experiment", where, "text");
  row.spec.model = field<std::string>(json, "model", where, "text");
  row.spec.preset = json.value("preset", "default");
  row.spec.regime = json.value("regime", "continual");
  require(row.spec.regime == "continual" || row.spec.regime == "joint" ||
              row.spec.regime == "fine-tune",
          "{}: regime = {}: must be continual, joint or fine-tune", where, row.spec.regime);
  row.spec.seeds = json.contains("seeds") ? field<int>(json, "seeds", where, "a number") : seeds;
  row.minutes = field<double>(json, "minutes", where, "a number");
  require(row.spec.seeds >= 1 && row.minutes > 0, "{}: seeds and minutes must be above 0", where);
  if (json.contains("tasks"))
    row.spec.stream.tasks = field<Index>(json, "tasks", where, "a number");
  if (json.contains("settings"))
    for (const auto& [name, value] : json["settings"].items())
      row.spec.changed.emplace_back(name, value);
  if (json.contains("paper")) row.paper = field<std::string>(json, "paper", where, "text");
  try {
    choice_of(row.spec);
  } catch (const Error& error) {
    fail("{}: {}", where, error.what());
  }
  return row;
}

// 64-bit FNV-1a.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

double minutes_of(const Json& record) {
  double seconds = 0;
  for (const Json& run : record["runs"])
    for (const char* key : {"learn_seconds", "evaluate_seconds"})
      for (const Json& part : run[key]) seconds += part.get<double>();
  return seconds / 60;
}

// What another seed of the same run took, if there is one.
std::optional<double> minutes_told(const std::filesystem::path& folder) {
  std::error_code none;
  for (const auto& seed : std::filesystem::directory_iterator(folder.parent_path(), none))
    if (const auto record = seed.path() / "record.json"; std::filesystem::exists(record))
      return minutes_of(read_record(record));
  return std::nullopt;
}

Plan plan_with(const Suite& suite, const std::filesystem::path& root, int side_by_side, int seeds,
               double epochs_share) {
  Plan out;
  for (int s = 0; s < seeds; ++s)
    for (std::size_t r = 0; r < suite.rows.size(); ++r) {
      const SuiteRow& row = suite.rows[r];
      if (s >= row.spec.seeds) continue;
      Job job{row.name, r, row.spec, {}, 0, false};
      job.spec.seeds = 1;
      job.spec.seed = row.spec.seed + static_cast<std::uint64_t>(s);
      double share = 1;
      if (epochs_share < 1) {
        const Index all = epochs_of(choice_of(job.spec));
        const auto epochs = std::max<Index>(
            1, static_cast<Index>(std::floor(static_cast<double>(all) * epochs_share)));
        job.spec.changed.emplace_back("epochs", epochs);
        share = static_cast<double>(epochs) / static_cast<double>(all);
      }
      job.folder = folder_of(root, job.spec);
      job.done = std::filesystem::exists(job.folder / "record.json");
      job.minutes = minutes_told(job.folder).value_or(share * row.minutes);
      if (!job.done) out.minutes += job.minutes / side_by_side;
      out.jobs.push_back(std::move(job));
    }
  return out;
}

// Mean and standard deviation over seeds; deviation 0 for one.
Json spread(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  const auto n = static_cast<double>(values.size());
  for (const double v : values) mean += v / n;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {{"mean", mean}, {"deviation", n > 1 ? std::sqrt(squares / (n - 1)) : 0.0}};
}

// The accuracy over all tasks seen after each, of one run.
std::vector<double> curve_of(const Json& run) {
  std::vector<double> out;
  for (const Json& task : run["tasks"]) out.push_back(task["final_accuracy"]);
  return out;
}

// Means of the matrix on and below the diagonal (tasks seen) and above it (tasks to come).
std::pair<double, double> seen_and_unseen(const Json& matrix) {
  double seen = 0, unseen = 0;
  std::size_t count_seen = 0, count_unseen = 0;
  for (std::size_t t = 0; t < matrix.size(); ++t)
    for (std::size_t j = 0; j < matrix[t].size(); ++j) {
      (j <= t ? seen : unseen) += matrix[t][j].get<double>();
      ++(j <= t ? count_seen : count_unseen);
    }
  return {seen / static_cast<double>(std::max<std::size_t>(count_seen, 1)),
          unseen / static_cast<double>(std::max<std::size_t>(count_unseen, 1))};
}

}  // namespace

Suite read_suite(const std::filesystem::path& file) {
  const Json json = read_record(file);
  const std::string where = file.string();
  Suite suite;
  suite.name = file.stem().string();
  suite.title = field<std::string>(json, "title", where, "text");
  suite.shows = field<std::string>(json, "shows", where, "text");
  static const std::set<std::string> figures = {"accuracy", "curve", "entropy", "memory",
                                                "inducing"};
  require(figures.contains(suite.shows),
          "{}: shows = {}: must be accuracy, curve, entropy, memory or inducing", where,
          suite.shows);
  const int seeds = field<int>(json, "seeds", where, "a number");
  const auto rows = field<Json>(json, "rows", where, "a list");
  require(rows.is_array() && !rows.empty(), "{}: rows must be a list of at least one", where);
  for (std::size_t r = 0; r < rows.size(); ++r)
    suite.rows.push_back(read_row(rows[r], seeds, fmt::format("{}, row {}", where, r + 1)));
  return suite;
}

std::filesystem::path folder_of(const std::filesystem::path& root, const RunSpec& spec) {
  Json identity = identity_of(spec);
  // The same numbers under whatever name.
  for (const char* name : {"preset", "seed", "seeds"}) identity.erase(name);
  if (!spec.experiment.starts_with("permuted")) identity.erase("tasks");
  return root /
         fmt::format("{}-{}-{:08x}", spec.experiment, spec.model,
                     hash_of(identity.dump()) & 0xffffffff) /
         fmt::format("seed-{}", spec.seed);
}

Plan plan(const Suite& suite, const std::filesystem::path& root, int side_by_side, double budget) {
  int seeds = 1;
  for (const SuiteRow& row : suite.rows) seeds = std::max(seeds, row.spec.seeds);
  const int all = seeds;
  Plan out = plan_with(suite, root, side_by_side, seeds, 1);
  if (budget <= 0) return out;
  while (out.minutes > budget && seeds > 1) out = plan_with(suite, root, side_by_side, --seeds, 1);
  if (seeds < all) out.cut = fmt::format("{} of {} seeds", seeds, all);
  if (out.minutes <= budget) return out;
  const double share = budget / out.minutes;
  const std::string cut = out.cut;
  out = plan_with(suite, root, side_by_side, seeds, share);
  out.cut = fmt::format("{}{}{:.0f} % of the epochs", cut, cut.empty() ? "" : ", ", 100 * share);
  return out;
}

Json suite_result(const Suite& suite, const Plan& plan) {
  Json out = {{"suite", suite.name}, {"title", suite.title}, {"shows", suite.shows}};
  if (!plan.cut.empty()) out["cut"] = plan.cut;
  out["rows"] = Json::array();
  std::set<std::string> commits;
  for (std::size_t r = 0; r < suite.rows.size(); ++r) {
    const SuiteRow& row = suite.rows[r];
    Json line = {{"name", row.name},
                 {"experiment", row.spec.experiment},
                 {"model", row.spec.model},
                 {"preset", row.spec.preset}};
    std::vector<Json> runs;
    line["seeds"] = Json::array();
    for (const Job& job : plan.jobs) {
      if (job.row != r || !std::filesystem::exists(job.folder / "record.json")) continue;
      if (runs.empty()) line["epochs"] = epochs_of(choice_of(job.spec));
      runs.push_back(read_record(job.folder / "record.json")["runs"][0]);
      line["seeds"].push_back(job.spec.seed);
      commits.insert(runs.back()["environment"].value("commit", "unknown"));
    }
    for (const auto& [name, value] : row.spec.changed) line["settings"][name] = value;
    if (!row.paper.empty()) line["paper"] = row.paper;
    if (!runs.empty()) {
      const auto over_seeds = [&](const auto& figure) {
        std::vector<double> values;
        for (const Json& run : runs) values.push_back(figure(run));
        return spread(values);
      };
      for (const char* key : {"final_accuracy", "forgetting", "nll"})
        line[key] = over_seeds([&](const Json& run) { return run[key].template get<double>(); });
      const auto by_task = [&](const auto& list) {
        Json curve = Json::array();
        for (std::size_t t = 0; t < list(runs[0]).size(); ++t)
          curve.push_back(over_seeds([&](const Json& run) { return list(run)[t]; }));
        return curve;
      };
      line["curve"] = by_task(curve_of);
      line["entropy_seen"] =
          over_seeds([](const Json& run) { return seen_and_unseen(run["entropy_matrix"]).first; });
      line["entropy_unseen"] =
          over_seeds([](const Json& run) { return seen_and_unseen(run["entropy_matrix"]).second; });
      if (suite.shows == "entropy") line["entropy_matrix"] = runs[0]["entropy_matrix"];
      // On the first task's points, after each task.
      line["memory"] = by_task([](const Json& run) {
        std::vector<double> memory;
        for (const Json& p : run["probability_matrix"]) memory.push_back(p[0]);
        return memory;
      });
      line["learn_seconds"] = over_seeds([](const Json& run) {
        double seconds = 0;
        for (const Json& s : run["learn_seconds"]) seconds += s.get<double>();
        return seconds;
      });
    }
    out["rows"].push_back(std::move(line));
  }
  out["commits"] = commits;  // of the records
  out["environment"] = environment();
  return out;
}

}  // namespace vargp
