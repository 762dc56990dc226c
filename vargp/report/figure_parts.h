// What the figures are built with; each of the figure files draws on it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vargp/report/figures.h"

namespace vargp {

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Json column(const char* name, const char* label, const char* format);
Json figure(const char* id, const char* kind, const char* name, std::string title,
            std::string caption, Json columns);
// model, task, mean, deviation, seeds.
Json line_columns(const char* label, const char* format);
// How a figure of lines is drawn, besides its rows.
void draw_lines(Json& figure, const char* y, const char* x_title, const char* y_title);

// Pictures in groups: model, task, rows, cols and pixels (8 bits each, in base64).
Json image_figure(std::string title, std::string caption, Json groups);

// Nothing where a run is not that far, or does not say.
std::optional<double> entry(const Table& table, Index row, Index col);
std::optional<double> entry(const std::vector<double>& list, Index i);

Index learned(const Series& series);  // tasks, of the seed that has come furthest
Spread final_accuracy(const Series& series);
std::optional<double> learning_seconds(const Series& series);  // of all tasks, the median
bool several_seeds(const std::vector<Series>& all);

// Over the seeds that hold it: what `of` gives for each run; nothing where it gives none.
template <class Of>
Spread over_seeds(const Series& series, const Of& of) {
  std::vector<double> values;
  for (const Run& run : series.runs)
    if (const std::optional<double> value = of(run)) values.push_back(*value);
  return spread(values);
}

// The same without seeds that are still under way.
template <class Of>
Spread over_finished(const Series& series, const Of& of) {
  return over_seeds(series, [&](const Run& run) {
    return run.learned() == learned(series) ? of(run) : std::nullopt;
  });
}

// Those of several series with the least and the most of something.
template <class Of>
std::pair<const Series*, const Series*> extremes(const std::vector<Series>& all, const Of& of) {
  const auto [low, high] = std::minmax_element(
      all.begin(), all.end(), [&](const Series& a, const Series& b) { return of(a) < of(b); });
  return {&*low, &*high};
}

// The figures by what they tell; null where the records do not hold their numbers.
using Figures = std::vector<Json>;
Figures accuracy_figures(const std::vector<Series>& all);
Figures matrix_figures(const std::vector<Series>& all);
Figures certainty_figures(const std::vector<Series>& all);
Figures picture_figures(const std::vector<Series>& all);
Figures learning_figures(const std::vector<Series>& all);

}  // namespace vargp
