// How learning went: the bound epoch by epoch, time, and what the model keeps.
#include <fmt/format.h>

#include "vargp/io/text.h"
#include "vargp/report/figure_parts.h"

namespace vargp {
namespace {

Json curves(const std::vector<Series>& all) {
  Json out = figure("curves", "curves", "Training curves", "", "",
                    {column("model", "model", "text"), column("task", "task", "integer"),
                     column("epoch", "epoch", "integer"), column("quantity", "quantity", "text"),
                     column("value", "value", "number")});
  double most = 0;
  int tasks = 0, early = 0;  // that learned, and those that stopped before they had to
  for (const Series& s : all) {
    const Run& run = s.runs.front();
    for (Index t = 0; t < std::ssize(run.tasks); ++t) {
      const TrainingCurve& c = run.tasks[at(t)].curve;
      const auto add = [&](const char* name, const std::vector<double>& values) {
        // A part that plays no role, such as the KL of a theta that is fixed.
        if (std::all_of(values.begin(), values.end(), [](double v) { return v == 0; })) return;
        for (std::size_t i = 0; i < values.size(); ++i)
          out["rows"].push_back({s.label, t + 1, c.epoch[i], name, values[i]});
      };
      add("bound", c.bound);
      add("log-likelihood", c.ell);
      add("KL of u", c.kl_u);
      add("KL of theta", c.kl_hyper);
      add("validation", c.validation);
      if (c.epoch.empty()) continue;
      most = std::max(most, c.epoch.back());
      ++tasks;
      if (run.settings.contains("epochs") && run.settings["epochs"].is_number() &&
          c.epoch.back() < run.settings["epochs"].get<double>())
        ++early;
    }
  }
  if (out["rows"].empty()) return {};
  if (early == tasks)
    out["title"] = fmt::format("Learning stopped by itself, after {:g} epochs at most", most);
  else if (early == 0)
    out["title"] = fmt::format("Learning went on for {:g} epochs", most);
  else
    out["title"] = fmt::format("{} of {} tasks stopped by themselves; the longest took {:g} epochs",
                               early, tasks, most);
  out["caption"] =
      "The bound and its parts (the expected log-likelihood less two divergences), and the "
      "accuracy "
      "on validation data, epoch by epoch; the dot is where learning the task stopped. The first "
      "seed.";
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
  const auto total = [](const Series& s) { return learning_seconds(s).value_or(0); };
  if (all.size() == 1) {
    out["title"] = fmt::format("Learning took {} in all", duration(total(all.front())));
  } else {
    const auto [low, high] = extremes(all, total);
    out["title"] = fmt::format("{} learns fastest, in {}; {} takes longest, {}", low->label,
                               duration(total(*low)), high->label, duration(total(*high)));
  }
  draw_lines(out, "median", "task", "seconds");
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
    return values.empty() ? 0 : static_cast<std::size_t>(median(values));
  };
  if (all.size() == 1) {
    out["title"] = fmt::format("The model's state grows to {}", size_of_bytes(last(all.front())));
  } else {
    const auto [low, high] = extremes(all, last);
    out["title"] = fmt::format("{} keeps least, {}; {} keeps most, {}", low->label,
                               size_of_bytes(last(*low)), high->label, size_of_bytes(last(*high)));
  }
  draw_lines(out, "median", "tasks learned", "state");
  return out;
}

}  // namespace

Figures learning_figures(const std::vector<Series>& all) {
  return {curves(all), seconds(all), state_size(all)};
}

}  // namespace vargp
