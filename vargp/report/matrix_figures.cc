// Every task after every task: what was forgotten, and what is not known yet.
#include <fmt/format.h>

#include "vargp/report/figure_parts.h"

namespace vargp {
namespace {

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

// Mean entropy over all seeds, on tasks that were seen or on those that were not yet.
Spread mean_entropy(const Series& s, bool seen) {
  std::vector<double> values;
  for (const Run& run : s.runs)
    for (Index t = 0; t < std::ssize(run.entropy); ++t)
      for (Index j = 0; j < run.planned(); ++j)
        if ((j <= t) == seen) values.push_back(run.entropy[at(t)][at(j)]);
  return spread(values);
}

std::string entropy_title(const std::vector<Series>& all) {
  const auto unseen = [](const Series& s) { return mean_entropy(s, false); };
  if (all.size() == 1) {
    const double seen = mean_entropy(all[0], true).mean;
    return unseen(all[0]).count == 0
               ? fmt::format("Mean entropy {:.2f} on what was seen", seen)
               : fmt::format("Entropy is {:.2f} on tasks seen and {:.2f} on tasks not seen yet",
                             seen, unseen(all[0]).mean);
  }
  if (std::any_of(all.begin(), all.end(), [&](const Series& s) { return unseen(s).count == 0; }))
    return "How unsure each model is of each task";
  const auto [low, high] = extremes(all, [&](const Series& s) { return unseen(s).mean; });
  return fmt::format("Of tasks not seen yet {} is least sure (entropy {:.2f}), {} surest ({:.2f})",
                     high->label, unseen(*high).mean, low->label, unseen(*low).mean);
}

Json entropy_matrix(const std::vector<Series>& all) {
  if (std::all_of(all.begin(), all.end(),
                  [](const Series& s) { return mean_entropy(s, true).count == 0; }))
    return {};
  Json out = matrix(figure("entropy-matrix", "matrix", "Entropy, task by task", entropy_title(all),
                           "Mean predictive entropy on each task (columns) after each task (rows): "
                           "0 is sure, 1 knows nothing. Above the diagonal are tasks not seen yet; "
                           "they should be bright.",
                           matrix_columns("entropy", "number")),
                    all, &Run::entropy);
  out["domain"] = {0, 1};
  return out;
}

}  // namespace

Figures matrix_figures(const std::vector<Series>& all) {
  return {accuracy_matrix(all), entropy_matrix(all)};
}

}  // namespace vargp
