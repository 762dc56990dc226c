#include "vargp/report/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "vargp/core/error.h"
#include "vargp/io/text.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;

std::optional<double> optional_number(const Field& object, const std::string& key) {
  const auto field = object.find(key);
  return field ? std::optional(field->number()) : std::nullopt;
}

// The list `key` of numbers not below 0, one a task; empty where it is missing.
std::vector<double> per_task(const Field& run, const std::string& key, Index tasks) {
  const auto field = run.find(key);
  if (!field) return {};
  auto out = field->numbers(0);
  if (std::ssize(out) != tasks) field->expected(fmt::format("{} numbers, one a task", tasks));
  return out;
}

// The matrix `key` in the shape of the accuracy matrix; empty where it is missing.
Table matrix(const Field& run, const std::string& key, const Table& accuracy) {
  const auto field = run.find(key);
  if (!field) return {};
  Table out = field->table(0, 1 + 1e-6);
  if (out.size() != accuracy.size() || out.front().size() != accuracy.front().size())
    field->expected(fmt::format("{} rows of {} numbers", accuracy.size(), accuracy.front().size()));
  return out;
}

TrainingCurve curve_of(const Field& field) {
  TrainingCurve out;
  out.epoch = field.at("epoch").numbers(0);
  const auto column = [&](const char* key, std::vector<double>& values) {
    const auto found = field.find(key);
    if (!found) return;
    values = found->numbers();
    if (values.size() != out.epoch.size())
      found->expected(fmt::format("{} numbers, one for each of epoch", out.epoch.size()));
  };
  column("bound", out.bound);
  column("ell", out.ell);
  column("kl_u", out.kl_u);
  column("kl_hyper", out.kl_hyper);
  column("validation", out.validation);
  return out;
}

TaskPart task_part(const Field& field) {
  TaskPart out;
  out.inducing = optional_number(field, "inducing");
  if (const auto curve = field.find("curve")) out.curve = curve_of(*curve);
  if (const auto images = field.find("inducing_images")) {
    out.image_rows = static_cast<Index>(images->at("rows").number(1, 1 << 12));
    out.image_cols = static_cast<Index>(images->at("cols").number(1, 1 << 12));
    for (const Field& image : images->at("pixels").items()) {
      out.images.push_back(image.text());
      const Index bytes = out.image_rows * out.image_cols;
      if (std::ssize(out.images.back()) != (bytes + 2) / 3 * 4)
        image.expected(fmt::format("{} bytes in base64", bytes));
    }
  }
  if (const auto lengthscales = field.find("lengthscales")) {
    out.lengthscales = lengthscales->numbers(0);
    if (const auto deviations = field.find("log_lengthscale_deviations")) {
      out.deviations = deviations->numbers(0);
      if (out.deviations.size() != out.lengthscales.size())
        deviations->expected(fmt::format("{} numbers, one a lengthscale", out.lengthscales.size()));
    }
  }
  return out;
}

Run run_of(const Field& field) {
  Run run;
  run.seed = field.at("seed").number(0);
  const Field accuracy = field.at("accuracy_matrix");
  run.accuracy = accuracy.table(0, 1);
  if (run.accuracy.empty() || run.accuracy.front().size() < run.accuracy.size())
    accuracy.expected("a row for every task learned, with a number for every task");
  const Index tasks = run.learned();
  run.entropy = matrix(field, "entropy_matrix", run.accuracy);
  run.calibration = matrix(field, "calibration_matrix", run.accuracy);
  run.forgetting = optional_number(field, "forgetting");
  run.nll = optional_number(field, "nll");
  run.calibration_error = optional_number(field, "calibration_error");
  if (const auto bins = field.find("reliability"))
    for (const Field& bin : bins->items())
      run.bins.push_back({static_cast<Index>(bin.at("count").number(0)),
                          bin.at("confidence").number(0, 1 + 1e-6),
                          bin.at("accuracy").number(0, 1)});
  std::vector<double> so_far;
  if (const auto parts = field.find("tasks")) {
    for (const Field& part : parts->items()) {
      run.tasks.push_back(task_part(part));
      if (const auto value = part.find("final_accuracy")) so_far.push_back(value->number(0, 1));
    }
    if (std::ssize(run.tasks) != tasks) parts->expected(fmt::format("{} tasks", tasks));
  }
  if (std::ssize(so_far) == tasks) {
    run.so_far = so_far;
  } else {  // tasks of the same size
    for (Index t = 0; t < tasks; ++t) {
      double sum = 0;
      for (Index j = 0; j <= t; ++j)
        sum += run.accuracy[static_cast<std::size_t>(t)][static_cast<std::size_t>(j)];
      run.so_far.push_back(sum / static_cast<double>(t + 1));
    }
  }
  run.learn_seconds = per_task(field, "learn_seconds", tasks);
  run.state_bytes = per_task(field, "state_bytes", tasks);
  if (const auto surfaces = field.find("surfaces"); surfaces && !surfaces->json().empty()) {
    const auto range = field.at("surface_range").numbers();
    if (range.size() != 2 || range[0] >= range[1])
      field.at("surface_range").expected("two numbers, the lower first");
    run.surface_low = range[0];
    run.surface_high = range[1];
    for (const Field& task : surfaces->items()) {
      run.surfaces.emplace_back();
      for (const Field& grid : task.items()) {
        run.surfaces.back().push_back(grid.table(0, 1));
        if (run.surfaces.back().back().empty()) grid.expected("a grid of probabilities");
      }
    }
  }
  if (const auto points = field.find("points"))
    for (const Field& point : points->items()) {
      run.points.push_back(point.numbers());
      if (run.points.back().size() != 4) point.expected("four numbers: task, x, y, class");
    }
  if (const auto settings = field.find("settings")) run.settings = settings->json();
  if (const auto environment = field.find("environment")) run.environment = environment->json();
  return run;
}

// How many different texts.
std::size_t kinds(const std::vector<std::string>& texts) {
  return std::set<std::string>(texts.begin(), texts.end()).size();
}

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// What could be added to a label: of each series its preset, its M, other settings, its folder.
using Part = std::function<std::string(const Series&)>;

std::vector<Part> parts_of(const std::vector<Series*>& group) {
  std::vector<Part> out = {[](const Series& s) { return s.preset; }};
  const Json& first = group.front()->runs.front().settings;
  const auto setting = [](const Series& s, const std::string& key) {
    const Json& settings = s.runs.front().settings;
    return settings.is_object() && settings.contains(key) ? plain(settings[key]) : std::string();
  };
  out.emplace_back([setting](const Series& s) {
    const std::string M = setting(s, "inducing");
    return M.empty() ? M : "M=" + M;
  });
  if (first.is_object())
    for (const auto& item : first.items()) {
      const std::string& key = item.key();
      if (key != "seed" && key != "model" && key != "inducing")
        out.emplace_back(
            [setting, key](const Series& s) { return fmt::format("{} {}", key, setting(s, key)); });
    }
  out.emplace_back([](const Series& s) {
    const fs::path path(s.file);
    return path.stem() == "record" ? path.parent_path().filename().string() : path.stem().string();
  });
  return out;
}

}  // namespace

Spread spread(const std::vector<double>& values) {
  Spread out;
  out.count = std::ssize(values);
  if (values.empty()) return out;
  const auto n = static_cast<double>(values.size());
  for (const double v : values) out.mean += v / n;
  if (values.size() < 2) return out;
  for (const double v : values) out.deviation += (v - out.mean) * (v - out.mean) / (n - 1);
  out.deviation = std::sqrt(out.deviation);
  return out;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

std::vector<fs::path> find_records(const std::vector<fs::path>& paths) {
  std::vector<fs::path> out;
  for (const fs::path& path : paths) {
    std::error_code failed;
    const auto kind = fs::status(path, failed).type();
    require(kind != fs::file_type::not_found, "{}: there is no such file or folder", path.string());
    if (kind != fs::file_type::directory) {
      out.push_back(path);
      continue;
    }
    std::set<fs::path> found;  // in order
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (const auto name = entry.path().filename();
          entry.is_regular_file() && (name == "record.json" || name == "progress.json"))
        found.insert(entry.path());
    require(!found.empty(), "{}: there is no record.json in this folder or below it",
            path.string());
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

Series read_series(const Json& record, const std::string& file) {
  const Field root(record, file);
  Series out;
  out.file = file;
  out.experiment = root.at("experiment").text();
  out.model = root.at("model").text();
  out.label = printable(out.model);
  if (const auto preset = root.find("preset")) out.preset = preset->text();
  const Field runs = root.at("runs");
  for (const Field& run : runs.items()) out.runs.push_back(run_of(run));
  if (out.runs.empty()) runs.expected("at least one run");
  for (const Field& run : runs.items())
    if (run.at("accuracy_matrix").json().front().size() !=
        static_cast<std::size_t>(out.runs.front().planned()))
      run.at("accuracy_matrix")
          .expected(fmt::format("{} tasks like the first run", out.runs.front().planned()));
  return out;
}

void label_series(std::vector<Series>& series) {
  std::map<std::string, std::vector<Series*>> groups;  // alike so far
  for (Series& s : series) groups[s.experiment + '\n' + s.model].push_back(&s);
  for (const auto& entry : groups) {
    const std::vector<Series*>& group = entry.second;
    if (group.size() == 1) continue;
    const auto labels = [&] {
      std::vector<std::string> out;
      for (const Series* s : group) out.push_back(s->label);
      return out;
    };
    for (const Part& part : parts_of(group)) {
      if (kinds(labels()) == group.size()) break;
      std::vector<std::string> texts, longer;
      for (const Series* s : group) {
        texts.push_back(printable(part(*s)));
        longer.push_back(s->label + (texts.back().empty() ? "" : ", " + texts.back()));
      }
      if (kinds(longer) == kinds(labels())) continue;
      for (std::size_t i = 0; i < group.size(); ++i) group[i]->label = longer[i];
    }
    // The same record twice, or folders of one name: counted.
    std::map<std::string, int> seen;
    for (Series* s : group)
      if (const int n = ++seen[s->label]; n > 1) s->label += fmt::format(" ({})", n);
  }
}

std::vector<Series> join_seeds(std::vector<Series> series) {
  const auto under_way = [](const Series& s) {
    return fs::path(s.file).filename() == "progress.json";
  };
  const auto settings = [](const Series& s) {
    Json out = s.runs.front().settings;
    if (out.is_object()) out.erase("seed");
    return out;
  };
  // A run under way does not say its settings: it belongs to the record in its folder.
  const auto fit = [&](const Series& a, const Series& b) {
    if (a.experiment != b.experiment || a.model != b.model || a.preset != b.preset ||
        a.runs.front().planned() != b.runs.front().planned())
      return false;
    if (under_way(a) != under_way(b))
      return fs::path(a.file).parent_path() == fs::path(b.file).parent_path();
    return settings(a) == settings(b);
  };
  const auto has = [](const Series& s, double seed) {
    return std::any_of(s.runs.begin(), s.runs.end(), [&](const Run& r) { return r.seed == seed; });
  };
  std::vector<Series> out;
  // Finished ones first: a seed that they have is no longer under way.
  std::stable_partition(series.begin(), series.end(),
                        [&](const Series& s) { return !under_way(s); });
  for (Series& s : series) {
    const auto joins = [&](const Series& other) {
      if (!fit(other, s)) return false;
      return under_way(s) || std::none_of(s.runs.begin(), s.runs.end(),
                                          [&](const Run& r) { return has(other, r.seed); });
    };
    const auto found = std::find_if(out.begin(), out.end(), joins);
    if (found == out.end()) {
      out.push_back(std::move(s));
      continue;
    }
    for (Run& run : s.runs)
      if (!has(*found, run.seed)) found->runs.push_back(std::move(run));
  }
  for (Series& s : out)
    std::stable_sort(s.runs.begin(), s.runs.end(),
                     [](const Run& a, const Run& b) { return a.seed < b.seed; });
  return out;
}

std::vector<Series> read_all(const std::vector<fs::path>& paths) {
  std::vector<Series> out;
  for (const fs::path& path : find_records(paths))
    out.push_back(read_series(read_record(path), path.string()));
  out = join_seeds(std::move(out));
  label_series(out);
  return out;
}

}  // namespace vargp
