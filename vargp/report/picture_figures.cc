// What can be shown as pictures: class probabilities on the plane, inducing points, lengthscales.
#include <fmt/format.h>

#include <cmath>

#include "vargp/report/figure_parts.h"

namespace vargp {
namespace {

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
                    "Probability of each class after each task. What was learned first should "
                    "stay; where nothing was seen, all classes should be equally probable. Dots "
                    "are the points of the class that were learned from.",
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
  return image_figure(fmt::format("Each task's inducing points: {:g} of {:g}", shown, most),
                      "Inducing points as pictures, task by task, of the first seed. They spread "
                      "over what the task showed.",
                      groups);
}

Json inputs(const std::vector<Series>& all) {
  Json out = figure("inputs", "inputs", "Lengthscales", "", "",
                    {column("model", "model", "text"), column("input", "input", "integer"),
                     column("lengthscale", "lengthscale", "number"),
                     column("deviation", "deviation of its log", "number")});
  double low = INFINITY, high = 0;
  Index rows = 0, cols = 0;
  std::string single;  // the series with one for all inputs
  bool several = false;
  for (const Series& s : all) {
    const Run& run = s.runs.front();
    if (run.tasks.empty() || run.tasks.back().lengthscales.empty()) continue;
    const TaskPart& part = run.tasks.back();
    rows = std::max(rows, part.image_rows);
    cols = std::max(cols, part.image_cols);
    if (part.lengthscales.size() == 1)
      single += fmt::format(" {} has one for all inputs: {:.3g}.", s.label, part.lengthscales[0]);
    else
      several = true;
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
  if (several)
    out["caption"] = out["caption"].get<std::string>() + single;
  else
    out["kind"] = "table";  // a chart of one dot a model would say no more
  out["image"] = {rows, cols};
  return out;
}

}  // namespace

Figures picture_figures(const std::vector<Series>& all) {
  return {surfaces(all), inducing_images(all), inputs(all)};
}

}  // namespace vargp
