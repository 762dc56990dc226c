// Whether the model knows how sure it may be.
#include <fmt/format.h>

#include <cmath>

#include "vargp/report/figure_parts.h"

namespace vargp {
namespace {

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
            fmt::format("Calibration error is highest on task {}: {:.2f} %", j + 1, 100 * v.mean);
        if (all.size() > 1) worst += fmt::format(" ({})", s.label);
      }
    }
  if (out["rows"].empty()) return {};
  out["title"] = worst;
  out["caption"] = "Expected calibration error (15 bins) on each task, after the last one.";
  draw_lines(out, "mean", "on task", "calibration error");
  out["zero"] = true;
  return out;
}

}  // namespace

Figures certainty_figures(const std::vector<Series>& all) {
  return {reliability(all), calibration(all)};
}

}  // namespace vargp
