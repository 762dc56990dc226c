#include "vargp/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vargp/report/paper.h"

namespace vargp {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Json column(const char* name, const char* label, const char* format) {
  return {{"name", name}, {"label", label}, {"format", format}};
}

Json figure(const char* id, const char* kind, const char* name, std::string title,
            std::string caption, Json columns) {
  return {{"id", id},
          {"kind", kind},
          {"name", name},
          {"title", std::move(title)},
          {"caption", std::move(caption)},
          {"columns", std::move(columns)},
          {"rows", Json::array()}};
}

// Over the seeds that hold it: what `of` gives for each run; nothing where it gives none.
template <class Of>
Spread over_seeds(const Series& series, const Of& of) {
  std::vector<double> values;
  for (const Run& run : series.runs)
    if (const std::optional<double> value = of(run)) values.push_back(*value);
  return spread(values);
}

std::optional<double> entry(const Table& table, Index row, Index col) {
  if (row >= std::ssize(table)) return std::nullopt;
  return table[at(row)][at(col)];
}

std::optional<double> entry(const std::vector<double>& list, Index i) {
  return i < std::ssize(list) ? std::optional(list[at(i)]) : std::nullopt;
}

Index learned(const Series& s) {
  Index most = 0;
  for (const Run& run : s.runs) most = std::max(most, run.learned());
  return most;
}

Spread final_accuracy(const Series& s) {
  return over_seeds(s, [&](const Run& run) -> std::optional<double> {
    if (run.learned() < learned(s)) return std::nullopt;  // a seed that is still under way
    return run.final_accuracy();
  });
}

const char* kSpread = "The band is one standard deviation over seeds. ";

bool several_seeds(const std::vector<Series>& all) {
  return std::any_of(all.begin(), all.end(), [](const Series& s) { return s.runs.size() > 1; });
}

std::string plural(Index n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// Those of several series with the least and the most of something.
template <class Of>
std::pair<const Series*, const Series*> extremes(const std::vector<Series>& all, const Of& of) {
  const auto [low, high] = std::minmax_element(
      all.begin(), all.end(), [&](const Series& a, const Series& b) { return of(a) < of(b); });
  return {&*low, &*high};
}

// A line for each series: what `of` gives after each task.
template <class Of>
Json lines(Json out, const std::vector<Series>& all, const char* y_title, const Of& of) {
  for (const Series& s : all)
    for (Index t = 0; t < learned(s); ++t) {
      const Spread v = over_seeds(s, [&](const Run& run) { return of(run, t); });
      if (v.count > 0) out["rows"].push_back({s.label, t + 1, v.mean, v.deviation, v.count});
    }
  out["x"] = "task";
  out["y"] = "mean";
  out["series"] = "model";
  out["x_title"] = "tasks learned";
  out["y_title"] = y_title;
  return out;
}

Json line_columns(const char* label, const char* format) {
  return {column("model", "model", "text"), column("task", "task", "integer"),
          column("mean", label, format), column("deviation", "standard deviation", format),
          column("seeds", "seeds", "integer")};
}

// The best and the worst of several, or how the only one went.
std::string accuracy_title(const std::vector<Series>& all) {
  if (all.size() == 1) {
    const Series& s = all.front();
    const Index T = learned(s);
    const Spread first = over_seeds(s, [](const Run& r) { return entry(r.so_far, 0); });
    if (T == 1) return fmt::format("{} of the test points are told right", percent(first));
    return fmt::format("After {} tasks {} of all that was seen is told right", T,
                       percent(final_accuracy(s)));
  }
  const auto [low, high] = extremes(all, [](const Series& s) { return final_accuracy(s).mean; });
  return fmt::format("{} ends highest at {}, {} lowest at {}", high->label,
                     percent(final_accuracy(*high)), low->label, percent(final_accuracy(*low)));
}

Json accuracy(const std::vector<Series>& all) {
  std::string caption = "Accuracy on the test points of all tasks seen so far, after each task. ";
  if (several_seeds(all)) caption += kSpread;
  return lines(figure("accuracy", "lines", "Accuracy over tasks", accuracy_title(all), caption,
                      line_columns("accuracy", "percent")),
               all, "accuracy", [](const Run& run, Index t) { return entry(run.so_far, t); });
}

// Ours beside the paper's Table 1.
Json against_paper(const std::vector<Series>& all) {
  const auto results =
      paper_results(all.front().experiment, static_cast<int>(all.front().runs[0].planned()));
  if (results.empty()) return {};
  struct Line {
    std::string method, from;
    double mean;
    Json deviation;
  };
  std::vector<Line> table;
  for (const PaperResult& r : results)
    table.push_back(
        {r.method, "the paper", r.mean / 100, r.deviation ? Json(*r.deviation / 100) : Json()});
  std::size_t above = 0;
  const double best_there = std::max_element(table.begin(), table.end(), [](auto& a, auto& b) {
                              return a.mean < b.mean;
                            })->mean;
  for (const Series& s : all) {
    if (learned(s) < s.runs.front().planned()) continue;  // still under way
    const Spread v = final_accuracy(s);
    above += v.mean > best_there;
    table.push_back({s.label, "this report", v.mean, v.count > 1 ? Json(v.deviation) : Json()});
  }
  std::stable_sort(table.begin(), table.end(),
                   [](const Line& a, const Line& b) { return a.mean > b.mean; });
  const std::string who = all.size() == 1 ? all.front().label : plural(std::ssize(all), "model");
  const std::string title =
      all.size() == 1
          ? fmt::format("{} is {} the best of the paper's Table 1 ({:.2f} %)", who,
                        above ? "above" : "below", 100 * best_there)
          : fmt::format("{} of {} models are above the best of the paper's Table 1 ({:.2f} %)",
                        above, all.size(), 100 * best_there);
  Json out = figure("paper", "dots", "Beside the paper", title,
                    "Accuracy over all tasks after the last one; the bars are one standard "
                    "deviation where it is known.",
                    {column("method", "method", "text"), column("from", "from", "text"),
                     column("mean", "accuracy", "percent"),
                     column("deviation", "standard deviation", "percent")});
  for (const Line& l : table) out["rows"].push_back({l.method, l.from, l.mean, l.deviation});
  return out;
}

// A heat map for each series: rows are what was learned last, columns what is tested.
Json matrix(Json out, const std::vector<Series>& all, Table Run::*table) {
  for (const Series& s : all)
    for (Index t = 0; t < learned(s); ++t)
      for (Index j = 0; j < s.runs.front().planned(); ++j) {
        const Spread v = over_seeds(s, [&](const Run& run) { return entry(run.*table, t, j); });
        if (v.count > 0) out["rows"].push_back({s.label, t + 1, j + 1, v.mean, v.deviation});
      }
  return out;
}

Json matrix_columns(const char* label, const char* format) {
  return {column("model", "model", "text"), column("after", "after task", "integer"),
          column("on", "on task", "integer"), column("mean", label, format),
          column("deviation", "standard deviation", format)};
}

Json accuracy_matrix(const std::vector<Series>& all) {
  double worst = 0;
  Index task = 0;
  std::string label;
  for (const Series& s : all)
    for (Index j = 0; j + 1 < learned(s); ++j) {
      const auto of = [&](Index t) {
        return over_seeds(s, [&](const Run& run) { return entry(run.accuracy, t, j); }).mean;
      };
      if (const double fall = of(j) - of(learned(s) - 1); fall > worst) {
        worst = fall;
        task = j + 1;
        label = s.label;
      }
    }
  const std::string who = all.size() > 1 ? fmt::format(" ({})", label) : "";
  const std::string title =
      task == 0 ? "No task lost accuracy while later ones were learned"
                : fmt::format("Task {} lost most while later ones were learned: {:.2f} points{}",
                              task, 100 * worst, who);
  return matrix(figure("accuracy-matrix", "matrix", "Accuracy, task by task", title,
                       "Accuracy on each task (columns) after each task (rows). Below the diagonal "
                       "is what was learned before; what stays bright there is not forgotten.",
                       matrix_columns("accuracy", "percent")),
                all, &Run::accuracy);
}

Json entropy_matrix(const std::vector<Series>& all) {
  std::vector<double> seen, unseen;
  for (const Series& s : all)
    for (const Run& run : s.runs)
      for (Index t = 0; t < std::ssize(run.entropy); ++t)
        for (Index j = 0; j < run.planned(); ++j)
          (j <= t ? seen : unseen).push_back(run.entropy[at(t)][at(j)]);
  if (seen.empty()) return {};
  std::string title =
      unseen.empty()
          ? fmt::format("Mean entropy {:.2f} on what was seen", spread(seen).mean)
          : fmt::format("Entropy is {:.2f} on tasks seen and {:.2f} on tasks not seen yet",
                        spread(seen).mean, spread(unseen).mean);
  if (all.size() > 1) title += ", over all models";
  Json out = matrix(figure("entropy-matrix", "matrix", "Entropy, task by task", title,
                           "Mean predictive entropy on each task (columns) after each task (rows): "
                           "0 is sure, 1 knows nothing. Above the diagonal are tasks not seen yet; "
                           "they should be bright.",
                           matrix_columns("entropy", "number")),
                    all, &Run::entropy);
  out["domain"] = {0, 1};
  return out;
}

Json reliability(const std::vector<Series>& all) {
  Json rows = Json::array();
  double over = 0;
  double points = 0;
  for (const Series& s : all) {
    std::vector<CalibrationBin> sums;  // of all seeds: count, and sums of the other two
    for (const Run& run : s.runs) {
      sums.resize(std::max(sums.size(), run.bins.size()));
      for (std::size_t b = 0; b < run.bins.size(); ++b) {
        const auto n = static_cast<double>(run.bins[b].count);
        sums[b].count += run.bins[b].count;
        sums[b].confidence += n * run.bins[b].confidence;
        sums[b].accuracy += n * run.bins[b].accuracy;
      }
    }
    for (const CalibrationBin& b : sums) {
      if (b.count == 0) continue;
      const auto n = static_cast<double>(b.count);
      rows.push_back({s.label, b.confidence / n, b.accuracy / n, b.count});
      over += b.confidence - b.accuracy;
      points += n;
    }
  }
  if (rows.empty()) return {};
  const auto error = [](const Series& s) {
    return over_seeds(s, [](const Run& run) { return run.calibration_error; });
  };
  std::string title;
  if (all.size() == 1) {
    const double gap = over / points;
    title = fmt::format("Confidence is {:.1f} points {} accuracy; calibration error {}",
                        std::abs(100 * gap), gap > 0 ? "above" : "below", percent(error(all[0])));
  } else {
    const auto [low, high] = extremes(all, [&](const Series& s) { return error(s).mean; });
    title = fmt::format("{} knows best how sure to be (calibration error {}), {} least ({})",
                        low->label, percent(error(*low)), high->label, percent(error(*high)));
  }
  Json out =
      figure("reliability", "reliability", "Reliability", title,
             "Test points of all tasks seen, in bins by confidence, after the last task. On "
             "the diagonal confidence is accuracy; below it the model is too sure. Larger "
             "dots are more points.",
             {column("model", "model", "text"), column("confidence", "confidence", "percent"),
              column("accuracy", "accuracy", "percent"), column("count", "points", "integer")});
  out["rows"] = rows;
  return out;
}

Json calibration(const std::vector<Series>& all) {
  Json out = figure("calibration", "lines", "Calibration error", "", "",
                    line_columns("calibration error", "percent"));
  std::string worst;
  double most = -1;
  for (const Series& s : all)
    for (Index j = 0; j < learned(s); ++j) {
      const Spread v =
          over_seeds(s, [&](const Run& run) { return entry(run.calibration, learned(s) - 1, j); });
      if (v.count == 0) continue;
      out["rows"].push_back({s.label, j + 1, v.mean, v.deviation, v.count});
      if (v.mean > most) {
        most = v.mean;
        worst =
            fmt::format("Calibration error is at most {:.2f} %, on task {}", 100 * v.mean, j + 1);
        if (all.size() > 1) worst += fmt::format(" ({})", s.label);
      }
    }
  if (out["rows"].empty()) return {};
  out["title"] = worst;
  out["caption"] = "Expected calibration error (15 bins) on each task, after the last one.";
  out["x"] = "task";
  out["y"] = "mean";
  out["series"] = "model";
  out["x_title"] = "on task";
  out["y_title"] = "calibration error";
  out["zero"] = true;
  return out;
}

std::vector<double> over_runs(const Series& s, std::vector<double> Run::*list, Index t) {
  std::vector<double> out;
  for (const Run& run : s.runs)
    if (const auto value = entry(run.*list, t)) out.push_back(*value);
  return out;
}

// How something that every task has, or leaves, goes: the median over seeds.
Json medians(const std::vector<Series>& all, Json out, std::vector<double> Run::*list) {
  for (const Series& s : all)
    for (Index t = 0; t < learned(s); ++t)
      if (const auto values = over_runs(s, list, t); !values.empty())
        out["rows"].push_back({s.label, t + 1, median(values),
                               *std::min_element(values.begin(), values.end()),
                               *std::max_element(values.begin(), values.end())});
  if (out["rows"].empty()) return {};
  out["x"] = "task";
  out["y"] = "median";
  out["series"] = "model";
  out["zero"] = true;
  return out;
}

Json median_columns(const char* label, const char* format) {
  return {column("model", "model", "text"), column("task", "task", "integer"),
          column("median", label, format), column("least", "least", format),
          column("most", "most", format)};
}

Json seconds(const std::vector<Series>& all) {
  Json out = medians(
      all,
      figure("seconds", "lines", "Time", "",
             several_seeds(all) ? "Seconds to learn each task, without its evaluation; the median "
                                  "over seeds."
                                : "Seconds to learn each task, without its evaluation.",
             median_columns("seconds", "seconds")),
      &Run::learn_seconds);
  if (out.is_null()) return out;
  const auto total = [](const Series& s) {
    double sum = 0;
    for (Index t = 0; t < learned(s); ++t)
      if (const auto values = over_runs(s, &Run::learn_seconds, t); !values.empty())
        sum += median(values);
    return sum;
  };
  if (all.size() == 1) {
    out["title"] = fmt::format("Learning took {} in all", seconds_text(total(all.front())));
  } else {
    const auto [low, high] = extremes(all, total);
    out["title"] = fmt::format("{} learns fastest, in {}; {} takes longest, {}", low->label,
                               seconds_text(total(*low)), high->label, seconds_text(total(*high)));
  }
  out["x_title"] = "task";
  out["y_title"] = "seconds";
  return out;
}

Json state_size(const std::vector<Series>& all) {
  Json out =
      medians(all,
              figure("state", "lines", "State size", "", "What the model keeps, after each task.",
                     median_columns("state", "bytes")),
              &Run::state_bytes);
  if (out.is_null()) return out;
  const auto last = [](const Series& s) {
    const auto values = over_runs(s, &Run::state_bytes, learned(s) - 1);
    return values.empty() ? 0 : median(values);
  };
  if (all.size() == 1) {
    out["title"] = fmt::format("The model's state grows to {}", bytes_text(last(all.front())));
  } else {
    const auto [low, high] = extremes(all, last);
    out["title"] = fmt::format("{} keeps least, {}; {} keeps most, {}", low->label,
                               bytes_text(last(*low)), high->label, bytes_text(last(*high)));
  }
  out["x_title"] = "tasks learned";
  out["y_title"] = "state";
  return out;
}

// Where records differ in M alone, a line for each M.
Json varying_inducing(const std::vector<Series>& all) {
  std::map<std::string, std::map<double, const Series*>> families;
  for (const Series& s : all) {
    Json rest = s.runs.front().settings;
    if (!rest.is_object() || !rest.contains("inducing") || !rest["inducing"].is_number()) continue;
    const double M = rest["inducing"].get<double>();
    for (const char* key : {"inducing", "seed"}) rest.erase(key);
    families[s.model + rest.dump()].emplace(M, &s);
  }
  const auto largest = std::max_element(families.begin(), families.end(), [](auto& a, auto& b) {
    return a.second.size() < b.second.size();
  });
  if (largest == families.end() || largest->second.size() < 2) return {};
  const auto& family = largest->second;
  const auto best =
      std::max_element(family.begin(), family.end(), [](const auto& a, const auto& b) {
        return final_accuracy(*a.second).mean < final_accuracy(*b.second).mean;
      });
  Json out = figure(
      "varying-m", "lines", "Varying M",
      fmt::format("{} does best with M = {:g}: {}", family.begin()->second->model, best->first,
                  percent(final_accuracy(*best->second))),
      "Accuracy on all tasks seen so far; one line for each number of inducing points a task.",
      {column("M", "inducing points M", "integer"), column("task", "task", "integer"),
       column("mean", "accuracy", "percent"), column("deviation", "standard deviation", "percent"),
       column("seeds", "seeds", "integer")});
  for (const auto& [M, s] : family)
    for (Index t = 0; t < learned(*s); ++t) {
      const Spread v = over_seeds(*s, [&](const Run& run) { return entry(run.so_far, t); });
      out["rows"].push_back({M, t + 1, v.mean, v.deviation, v.count});
    }
  out["x"] = "task";
  out["y"] = "mean";
  out["series"] = "M";
  out["ordered"] = true;
  out["x_title"] = "tasks learned";
  out["y_title"] = "accuracy";
  return out;
}

Json curves(const std::vector<Series>& all) {
  Json out = figure("curves", "curves", "Training curves", "", "",
                    {column("model", "model", "text"), column("task", "task", "integer"),
                     column("epoch", "epoch", "integer"), column("quantity", "quantity", "text"),
                     column("value", "value", "number")});
  double most = 0, limit = 0;
  bool early = false;
  for (const Series& s : all) {
    const Run& run = s.runs.front();
    for (Index t = 0; t < std::ssize(run.tasks); ++t) {
      const TrainingCurve& c = run.tasks[at(t)].curve;
      const auto add = [&](const char* name, const std::vector<double>& values) {
        for (std::size_t i = 0; i < values.size(); ++i)
          out["rows"].push_back({s.label, t + 1, c.epoch[i], name, values[i]});
      };
      add("bound", c.bound);
      add("expected log-likelihood", c.ell);
      add("KL of u", c.kl_u);
      add("KL of theta", c.kl_hyper);
      add("validation", c.validation);
      if (c.epoch.empty()) continue;
      most = std::max(most, c.epoch.back());
      if (run.settings.is_object()) limit = run.settings.value("epochs", 0.0);
      early |= c.epoch.back() < limit;
    }
  }
  if (out["rows"].empty()) return {};
  out["title"] = early ? fmt::format("Learning stopped by itself, after {:g} epochs at most", most)
                       : fmt::format("Learning went on for {:g} epochs", most);
  out["caption"] =
      "The bound and its parts, and the accuracy on validation data, epoch by epoch; the dot is "
      "where learning the task stopped. The first seed.";
  return out;
}

Json surfaces(const std::vector<Series>& all) {
  Json tiles = Json::array();
  Json points = Json::array();
  const Run* any = nullptr;
  for (const Series& s : all) {
    const Run& run = s.runs.front();
    if (run.surfaces.empty()) continue;
    if (!any) {
      any = &run;
      points = run.points;
    }
    for (Index t = 0; t < std::ssize(run.surfaces); ++t)
      for (Index c = 0; c < std::ssize(run.surfaces[at(t)]); ++c)
        tiles.push_back({{"model", s.label},
                         {"task", t + 1},
                         {"class", c},
                         {"grid", run.surfaces[at(t)][at(c)]}});
  }
  if (!any) return {};
  Json out = figure("surfaces", "surfaces", "Class probabilities",
                    "What each model thinks of the plane after each task, class by class",
                    "Probability of each class (columns) after each task (rows). What was learned "
                    "first should stay; where nothing was seen, all classes should be equally "
                    "probable. Dots are the points that were learned from.",
                    {column("model", "model", "text"), column("task", "after task", "integer"),
                     column("class", "class", "integer"), column("x", "x", "number"),
                     column("y", "y", "number"), column("probability", "probability", "number")});
  out["tiles"] = tiles;
  out["points"] = points;
  out["range"] = {any->surface_low, any->surface_high};
  return out;
}

Json inducing_images(const std::vector<Series>& all) {
  Json groups = Json::array();
  double shown = 0, most = 0;
  for (const Series& s : all) {
    const Run& run = s.runs.front();
    for (Index t = 0; t < std::ssize(run.tasks); ++t) {
      const TaskPart& part = run.tasks[at(t)];
      if (part.images.empty()) continue;
      groups.push_back({{"model", s.label},
                        {"task", t + 1},
                        {"rows", part.image_rows},
                        {"cols", part.image_cols},
                        {"pixels", part.images}});
      shown = std::max(shown, static_cast<double>(part.images.size()));
      most = std::max(most, part.inducing.value_or(0));
    }
  }
  if (groups.empty()) return {};
  Json out = figure("inducing", "images", "Inducing points",
                    fmt::format("Each task's inducing points: {:g} of {:g}", shown, most),
                    "Inducing points as pictures, task by task, of the first seed. They spread "
                    "over what the task showed.",
                    {column("model", "model", "text"), column("task", "task", "integer"),
                     column("point", "point", "integer"), column("row", "row", "integer"),
                     column("col", "column", "integer"), column("pixel", "pixel", "integer")});
  out["groups"] = groups;
  return out;
}

Json inputs(const std::vector<Series>& all) {
  Json out = figure("inputs", "inputs", "Lengthscales", "", "",
                    {column("model", "model", "text"), column("input", "input", "integer"),
                     column("lengthscale", "lengthscale", "number"),
                     column("deviation", "deviation of its log", "number")});
  double low = INFINITY, high = 0;
  Index rows = 0, cols = 0;
  for (const Series& s : all) {
    const Run& run = s.runs.front();
    if (run.tasks.empty() || run.tasks.back().lengthscales.empty()) continue;
    const TaskPart& part = run.tasks.back();
    rows = std::max(rows, part.image_rows);
    cols = std::max(cols, part.image_cols);
    for (std::size_t d = 0; d < part.lengthscales.size(); ++d) {
      const double l = part.lengthscales[d];
      low = std::min(low, l);
      high = std::max(high, l);
      out["rows"].push_back({s.label, part.lengthscales.size() > 1 ? Json(d + 1) : Json("all"), l,
                             part.deviations.empty() ? Json() : Json(part.deviations[d])});
    }
  }
  if (out["rows"].empty()) return {};
  out["title"] = low == high ? fmt::format("One lengthscale for every input: {:.3g}", low)
                             : fmt::format("Lengthscales lie between {:.3g} and {:.3g}", low, high);
  out["caption"] =
      "What q(theta) thinks of each input after the last task, first seed: where the lengthscale "
      "is short the input matters, where it is long it does not.";
  out["image"] = {rows, cols};
  return out;
}

}  // namespace

std::string experiment_title(const std::string& experiment) {
  static const std::map<std::string, std::string> known = {
      {"toy", "Toy data"},
      {"split-mnist", "Split MNIST"},
      {"permuted-mnist", "Permuted MNIST"},
      {"split-fashion-mnist", "Split Fashion-MNIST"},
      {"permuted-fashion-mnist", "Permuted Fashion-MNIST"}};
  const auto found = known.find(experiment);
  return found == known.end() ? experiment : found->second;
}

std::string percent(const Spread& share) {
  return share.count > 1 ? fmt::format("{:.2f} ± {:.2f} %", 100 * share.mean, 100 * share.deviation)
                         : fmt::format("{:.2f} %", 100 * share.mean);
}

std::string seconds_text(double seconds) {
  if (seconds < 0.1) return fmt::format("{:.0f} ms", std::ceil(1e3 * seconds));
  if (seconds < 1) return fmt::format("{:.2f} s", seconds);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string bytes_text(double bytes) {
  if (bytes < 1e4) return fmt::format("{:.1f} kB", bytes / 1e3);
  if (bytes < 1e6) return fmt::format("{:.0f} kB", bytes / 1e3);
  return bytes < 1e7 ? fmt::format("{:.1f} MB", bytes / 1e6)
                     : fmt::format("{:.0f} MB", bytes / 1e6);
}

std::vector<Json> figures(const std::vector<Series>& all) {
  std::vector<Json> out;
  const auto add = [&](Json figure) {
    if (!figure.is_null()) out.push_back(std::move(figure));
  };
  add(accuracy(all));
  add(against_paper(all));
  add(surfaces(all));
  add(accuracy_matrix(all));
  add(entropy_matrix(all));
  add(inducing_images(all));
  add(inputs(all));
  add(varying_inducing(all));
  add(reliability(all));
  add(calibration(all));
  add(curves(all));
  add(seconds(all));
  add(state_size(all));
  return out;
}

}  // namespace vargp
