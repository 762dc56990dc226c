// The figures of the report on a model of somebody's own data.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>

#include "vargp/io/base64.h"
#include "vargp/io/text.h"
#include "vargp/report/figure_parts.h"
#include "vargp/report/model_report.h"

namespace vargp {
namespace {

// Inducing points that are shown of each task, and of tables the inputs that matter most.
constexpr Index kImages = 24, kPoints = 5;
constexpr std::size_t kInputs = 12;

Json rows_of_tasks(const LearnedModel& m) {
  std::string title = fmt::format("{} in {}", counted(m.rows(), "row", "rows"),
                                  counted(std::ssize(m.tasks), "task", "tasks"));
  std::map<std::string, Index> by_class;
  for (const LearnedTask& t : m.tasks)
    for (const auto& [label, rows] : t.classes) by_class[label] += rows;
  if (by_class.size() > 1) {
    const auto largest = std::max_element(by_class.begin(), by_class.end(),
                                          [](auto& a, auto& b) { return a.second < b.second; });
    title += fmt::format("; {:.0f} % of them are {}",
                         100 * static_cast<double>(largest->second) / static_cast<double>(m.rows()),
                         largest->first);
  }
  Json columns = {column("task", "task", "integer"), column("source", "source", "text")};
  if (!m.regression) columns.push_back(column("class", "class", "text"));
  columns.push_back(column("rows", "rows", "integer"));
  if (!m.regression) columns.push_back(column("new", "new class", "text"));
  Json out =
      figure("rows", "bars", m.regression ? "Rows" : "Rows and classes", title,
             m.regression ? "Rows of each task." : "Rows of each task, by their class.", columns);
  for (const LearnedTask& t : m.tasks) {
    if (m.regression) out["rows"].push_back({t.number, t.source, t.rows});
    for (const auto& [label, rows] : t.classes) {
      const bool fresh = std::find(t.fresh.begin(), t.fresh.end(), label) != t.fresh.end();
      out["rows"].push_back({t.number, t.source, label, rows, fresh ? "new" : ""});
    }
  }
  return out;
}

// Lines over the tasks: the name of each, and what it has of a task. A single point is no line.
using Of = std::function<std::optional<double>(const LearnedTask&)>;
Json over_tasks(const LearnedModel& m, Json out, const char* y_title,
                const std::vector<std::pair<const char*, Of>>& lines) {
  for (const auto& [name, of] : lines)
    for (const LearnedTask& t : m.tasks)
      if (const auto value = of(t)) out["rows"].push_back({name, t.number, t.source, *value});
  if (out["rows"].size() < 2 * lines.size()) return {};
  draw_lines(out, "value", "task", y_title);
  out["series"] = "quantity";
  return out;
}

Json task_lines(const char* id, const char* name, const std::string& title,
                const std::string& caption, const char* format) {
  return figure(id, "lines", name, title, caption,
                {column("quantity", "quantity", "text"), column("task", "task", "integer"),
                 column("source", "source", "text"), column("value", "value", format)});
}

Json validation(const LearnedModel& m) {
  const char* measure = m.regression ? "root mean squared error" : "accuracy";
  const auto& last = m.tasks.back().validation;
  return over_tasks(
      m,
      task_lines(
          "validation", "Validation",
          last ? fmt::format("The last task's held-out rows: {} {}", measure, m.validation(*last))
               : fmt::format("The {} on held-out rows", measure),
          "On rows of each task that were held out while it was learned, right after it.",
          m.regression ? "number" : "percent"),
      measure, {{measure, [](const LearnedTask& t) { return t.validation; }}});
}

Json moved(const LearnedModel& m) {
  const LearnedTask& most = m.moved_most();
  const std::string title = most.moved == 0
                                ? std::string("No task has moved since it was learned")
                                : fmt::format("T{} has moved most since it was learned: {}",
                                              most.named().substr(1), m.distance(most.moved));
  std::string caption =
      "How far the predictions at each task's own inducing points have moved since it was learned";
  caption += m.regression ? " (root mean square, in standard deviations of then)."
                          : " (mean total variation), and at how many of them another class is the "
                            "most probable now.";
  caption +=
      " Later tasks refine what they have in common with it; one far above the others may be "
      "forgotten.";
  std::vector<std::pair<const char*, Of>> lines = {
      {"moved", [](const LearnedTask& t) { return t.moved; }}};
  if (!m.regression)
    lines.emplace_back("another class", [](const LearnedTask& t) { return t.changed; });
  Json out = over_tasks(m,
                        task_lines("moved", "The watch on forgetting", title, caption,
                                   m.regression ? "number" : "percent"),
                        m.regression ? "moved, in deviations" : "share", lines);
  if (!out.is_null()) out["zero"] = true;
  return out;
}

Json bound(const LearnedModel& m) {
  return over_tasks(
      m,
      task_lines(
          "bound", "The bound",
          fmt::format("The bound for each row: {:.3g} at first, {:.3g} at last",
                      m.tasks.front().bound_per_row, m.tasks.back().bound_per_row),
          "What learning makes as large as it can, divided by the rows of the task: how well "
          "they are explained, less how far the model had to move for it.",
          "number"),
      "bound for each row", {{"bound", [](const LearnedTask& t) { return t.bound_per_row; }}});
}

Json seconds(const LearnedModel& m) {
  Json out = over_tasks(
      m,
      task_lines("seconds", "Time", fmt::format("Learning took {} in all", duration(m.seconds())),
                 "Seconds to learn each task.", "seconds"),
      "seconds", {{"seconds", [](const LearnedTask& t) { return t.seconds; }}});
  if (!out.is_null()) out["zero"] = true;
  return out;
}

// A lengthscale that all inputs share, in the units of each.
Json one_lengthscale(const LearnedModel& m) {
  if (!m.standardised || m.image_rows > 0) return {};
  Json out = figure("inputs", "table", "Lengthscales",
                    fmt::format("One lengthscale for every input: {:.3g}", m.scales[0].value),
                    "In deviations of the column; here in its own units: over this way the answer "
                    "changes. The deviation is that of its logarithm.",
                    {column("input", "input", "text"), column("units", "lengthscale", "number"),
                     column("deviation", "deviation of its log", "number")});
  for (const InputScale& s : m.scales) out["rows"].push_back({s.input, s.units, s.deviation});
  return out;
}

Json lengthscales(const LearnedModel& m) {
  if (m.one_scale()) return one_lengthscale(m);
  const InputScale &first = m.scales.front(), &last = m.scales.back();
  const std::string title =
      m.image_rows > 0
          ? fmt::format("Lengthscales lie between {:.3g} and {:.3g}", first.value, last.value)
          : fmt::format("{} matters most, {} least", first.input, last.input);
  std::string caption =
      "Over a short lengthscale the answer changes much: the input matters. Over a long one it "
      "hardly changes. The bars are one standard deviation of its logarithm.";
  Json columns = {column("input", "input", "text"), column("lengthscale", "lengthscale", "number"),
                  column("deviation", "deviation of its log", "number")};
  if (m.standardised) {
    caption +=
        " In deviations of the column, which can be compared, and in the column's own units.";
    columns.push_back(column("units", "in its units", "number"));
  }
  Json out = figure("inputs", "inputs", "Which inputs matter", title, caption, columns);
  auto scales = m.scales;
  if (m.image_rows > 0)  // in the order of the pixels
    std::sort(scales.begin(), scales.end(), [](auto& a, auto& b) { return a.place < b.place; });
  for (const InputScale& s : scales) {
    out["rows"].push_back({s.input, s.value, s.deviation});
    if (m.standardised) out["rows"].back().push_back(s.units);
  }
  out["image"] = {m.image_rows, m.image_cols};
  return out;
}

// What the inducing points are of a model with these settings.
std::string origin(const Json& settings) {
  const bool rows = settings.value("start", "") == "rows";
  if (settings.value("learn-inducing", false))
    return fmt::format("They began as {}, and were moved from there.",
                       rows ? "rows of the files" : "averages of rows");
  if (rows) return "They are rows of the files.";
  const Index least = settings.value("private-minimum", Index{1});
  return least > 1 ? fmt::format("Each is the average of {} rows or more.", least)
                   : "They are averages of rows that lie close together; some may be of one row.";
}

// As many digits as can be told apart over a lengthscale.
double rounded(double x, double lengthscale) {
  const double steps = std::pow(10, 3 - std::floor(std::log10(lengthscale)));
  return std::round(x * steps) / steps + 0.0;
}

// Which of a task's points are shown: some, evenly over all.
std::vector<Index> some(const LearnedTask& t, Index most) {
  std::vector<Index> out;
  const Index shown = std::min(most, std::ssize(t.Z));
  for (Index k = 0; k < shown; ++k) out.push_back(k * std::ssize(t.Z) / shown);
  return out;
}

Json points(const LearnedModel& m, const std::string& title, const std::string& origin) {
  const std::size_t inputs = std::min(kInputs, m.scales.size());
  Json columns = {column("task", "task", "integer"), column("point", "point", "integer")};
  for (std::size_t d = 0; d < inputs; ++d)
    columns.push_back(
        {{"name", fmt::format("x{}", d)}, {"label", m.scales[d].input}, {"format", "number"}});
  Json out = figure("inducing", "table", "Inducing points", title,
                    fmt::format("Some of each task's{}, in the units of the columns; of a "
                                "category, its share. {} vargp inspect --points lists all.",
                                inputs < m.scales.size()
                                    ? fmt::format(", with {} of {} inputs", inputs, m.scales.size())
                                    : "",
                                origin),
                    columns);
  for (const LearnedTask& t : m.tasks)
    for (const Index k : some(t, kPoints)) {
      Json row = {t.number, k + 1};
      for (std::size_t d = 0; d < inputs; ++d)
        row.push_back(rounded(t.Z[at(k)][m.scales[d].place], m.scales[d].units));
      out["rows"].push_back(row);
    }
  return out;
}

Json images(const LearnedModel& m, const std::string& title, const std::string& origin) {
  Json groups = Json::array();
  for (const LearnedTask& t : m.tasks) {
    double low = INFINITY, high = -INFINITY;
    for (const auto& z : t.Z) {
      low = std::min(low, *std::min_element(z.begin(), z.end()));
      high = std::max(high, *std::max_element(z.begin(), z.end()));
    }
    const double range = std::max(high - low, 1e-12);
    groups.push_back({{"model", m.name},
                      {"task", t.number},
                      {"rows", m.image_rows},
                      {"cols", m.image_cols},
                      {"pixels", Json::array()}});
    for (const Index k : some(t, kImages)) {
      std::vector<unsigned char> pixels;
      for (const double x : t.Z[at(k)])
        pixels.push_back(static_cast<unsigned char>(std::lround(255 * (x - low) / range)));
      groups.back()["pixels"].push_back(base64(pixels));
    }
  }
  return image_figure(title, "Some of each task's, as pictures. " + origin, groups);
}

}  // namespace

std::vector<Json> model_figures(const LearnedModel& m, const Json& settings) {
  const std::string title =
      "What is kept instead of rows: " + counted(m.inducing(), "inducing point", "inducing points");
  std::vector<Json> out;
  for (Json& figure :
       Figures{rows_of_tasks(m), validation(m), moved(m), bound(m), seconds(m), lengthscales(m),
               (m.image_rows > 0 ? images : points)(m, title, origin(settings))})
    if (!figure.is_null()) out.push_back(std::move(figure));
  return out;
}

}  // namespace vargp
