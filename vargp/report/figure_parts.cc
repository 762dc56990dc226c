#include "vargp/report/figure_parts.h"

#include <numeric>

namespace vargp {

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

Json line_columns(const char* label, const char* format) {
  return {column("model", "model", "text"), column("task", "task", "integer"),
          column("mean", label, format), column("deviation", "standard deviation", format),
          column("seeds", "seeds", "integer")};
}

void draw_lines(Json& figure, const char* y, const char* x_title, const char* y_title) {
  figure["x"] = "task";
  figure["y"] = y;
  figure["series"] = "model";
  figure["x_title"] = x_title;
  figure["y_title"] = y_title;
}

Json image_figure(std::string title, std::string caption, Json groups) {
  Json out = figure("inducing", "images", "Inducing points", std::move(title), std::move(caption),
                    {column("model", "model", "text"), column("task", "task", "integer"),
                     column("point", "point", "integer"), column("row", "row", "integer"),
                     column("col", "column", "integer"), column("pixel", "pixel", "integer")});
  out["groups"] = std::move(groups);
  return out;
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
  return over_finished(s, [](const Run& run) { return std::optional(run.final_accuracy()); });
}

std::optional<double> learning_seconds(const Series& s) {
  std::vector<double> sums;
  for (const Run& run : s.runs)
    if (!run.learn_seconds.empty() && run.learned() == learned(s))
      sums.push_back(std::accumulate(run.learn_seconds.begin(), run.learn_seconds.end(), 0.0));
  return sums.empty() ? std::nullopt : std::optional(median(sums));
}

bool several_seeds(const std::vector<Series>& all) {
  return std::any_of(all.begin(), all.end(), [](const Series& s) { return s.runs.size() > 1; });
}

}  // namespace vargp
