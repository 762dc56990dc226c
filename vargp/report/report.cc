#include "vargp/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "vargp/core/error.h"
#include "vargp/io/environment.h"
#include "vargp/io/text.h"
#include "vargp/report/figure_parts.h"
#include "vargp/report/paper.h"

namespace vargp {
namespace {

// What a record comes to, over its seeds.
struct Result {
  Spread accuracy, forgetting, nll, calibration, state;
  std::optional<double> seconds;  // to learn all tasks
  Index learned = 0, planned = 0, seeds = 0;
};

Result result(const Series& s) {
  Result out;
  out.accuracy = final_accuracy(s);
  out.forgetting = over_finished(s, [](const Run& r) { return r.forgetting; });
  out.nll = over_finished(s, [](const Run& r) { return r.nll; });
  out.calibration = over_finished(s, [](const Run& r) { return r.calibration_error; });
  out.state = over_finished(s, [](const Run& r) { return entry(r.state_bytes, r.learned() - 1); });
  out.seconds = learning_seconds(s);
  out.learned = learned(s);
  out.planned = s.runs.front().planned();
  out.seeds = out.accuracy.count;
  return out;
}

std::string points(const Spread& share) {
  return share.count > 1 ? fmt::format("{:.2f} ± {:.2f}", 100 * share.mean, 100 * share.deviation)
                         : fmt::format("{:.2f}", 100 * share.mean);
}

std::optional<PaperResult> paper_of(const Series& s, const Result& r) {
  for (const PaperResult& p : paper_results(s.experiment, static_cast<int>(r.planned)))
    if (same_model(p, s.model, s.runs.front().settings)) return p;
  return std::nullopt;
}

std::string paper_text(const PaperResult& p) {
  return p.deviation ? fmt::format("{:.2f} ± {:.2f} %", p.mean, *p.deviation)
                     : fmt::format("{:.2f} %", p.mean);
}

// Settings are chosen by accuracies on validation points: such a record says so.
const char* measured_on(const Series& s) {
  const Json& settings = s.runs.front().settings;
  return settings.contains("evaluate") && settings["evaluate"] == "validation" ? "validation"
                                                                               : "test";
}

// One record in a sentence or two, which its label leads.
std::string sentence(const Series& s, const Result& r) {
  std::string out;
  if (!s.preset.empty() && s.label.find(s.preset) == std::string::npos)
    out += fmt::format("(preset {}) ", s.preset);
  out += r.learned == r.planned
             ? fmt::format("learned {} task{}", r.planned, r.planned == 1 ? "" : "s")
             : fmt::format("has learned {} of {} tasks so far", r.learned, r.planned);
  if (r.seconds) out += fmt::format(" in {}", duration(*r.seconds));
  out += fmt::format(" and tells {} of all {} points right", percent(r.accuracy), measured_on(s));
  if (r.seeds > 1) out += fmt::format(" (mean and standard deviation of {} seeds)", r.seeds);
  out += ".";
  std::vector<std::string> more;
  if (r.forgetting.count > 0 && r.learned > 1)
    more.push_back(
        fmt::format("earlier tasks lost {} points on average", points({r.forgetting.mean, 0, 1})));
  if (r.calibration.count > 0)
    more.push_back(fmt::format("its confidence is off by {:.1f} %", 100 * r.calibration.mean));
  if (r.state.count > 0)
    more.push_back(
        fmt::format("the model keeps {}", size_of_bytes(static_cast<std::size_t>(r.state.mean))));
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (i == 0)
      more[i][0] = static_cast<char>(std::toupper(static_cast<unsigned char>(more[i][0])));
    out += (i == 0 ? " " : i + 1 == more.size() ? " and " : ", ") + more[i];
  }
  if (!more.empty()) out += ".";
  if (const auto p = paper_of(s, r))
    out += fmt::format(" The paper has {} for it.", paper_text(*p));
  return out;
}

Json summary(const std::vector<Series>& all, const std::vector<Result>& results) {
  Json out = Json::array();
  constexpr std::size_t kSentences = 3;
  if (all.size() <= kSentences) {
    for (std::size_t i = 0; i < all.size(); ++i)
      out.push_back({{"lead", all[i].label}, {"text", sentence(all[i], results[i])}});
  } else {
    const auto less = [](const Result& a, const Result& b) {
      return a.accuracy.mean < b.accuracy.mean;
    };
    const auto best = static_cast<std::size_t>(
        std::max_element(results.begin(), results.end(), less) - results.begin());
    const auto worst = static_cast<std::size_t>(
        std::min_element(results.begin(), results.end(), less) - results.begin());
    out.push_back(
        {{"lead", ""},
         {"text", fmt::format("{} models are compared. The highest and the lowest accuracy:",
                              all.size())}});
    for (const std::size_t i : {best, worst})
      out.push_back({{"lead", all[i].label}, {"text", sentence(all[i], results[i])}});
  }
  const auto paper = paper_results(all.front().experiment, static_cast<int>(results[0].planned));
  const auto var_gp = std::find_if(paper.begin(), paper.end(),
                                   [](const PaperResult& p) { return p.model == "var-gp"; });
  const bool told =
      std::any_of(all.begin(), all.end(), [](const Series& s) { return s.model == "var-gp"; });
  if (var_gp != paper.end() && (!told || all.size() > kSentences))
    out.push_back({{"lead", "The paper's VAR-GP"},
                   {"text", fmt::format("reaches {} on this benchmark.", paper_text(*var_gp))}});
  return out;
}

Json results_table(const std::vector<Series>& all, const std::vector<Result>& results) {
  struct Col {
    const char* label;
    std::function<std::string(const Series&, const Result&)> of;
  };
  const std::vector<Col> columns = {
      {"model", [](const Series& s, const Result&) { return s.label; }},
      {"seeds", [](const Series&, const Result& r) { return std::to_string(r.seeds); }},
      {"accuracy %", [](const Series&, const Result& r) { return points(r.accuracy); }},
      {"forgetting, points",
       [](const Series&, const Result& r) {
         return r.forgetting.count > 0 && r.planned > 1 ? points(r.forgetting) : std::string();
       }},
      {"NLL",
       [](const Series&, const Result& r) {
         return r.nll.count > 0 ? fmt::format("{:.3f}", r.nll.mean) : std::string();
       }},
      {"calibration error %",
       [](const Series&, const Result& r) {
         return r.calibration.count > 0 ? fmt::format("{:.1f}", 100 * r.calibration.mean)
                                        : std::string();
       }},
      {"learning",
       [](const Series&, const Result& r) {
         return r.seconds ? duration(*r.seconds) : std::string();
       }},
      {"state",
       [](const Series&, const Result& r) {
         return r.state.count > 0 ? size_of_bytes(static_cast<std::size_t>(r.state.mean))
                                  : std::string();
       }},
      {"the paper",
       [](const Series& s, const Result& r) {
         const auto p = paper_of(s, r);
         return p ? paper_text(*p) : std::string();
       }},
  };
  Json out = {{"columns", Json::array()}, {"rows", Json::array()}};
  for (std::size_t i = 0; i < all.size(); ++i) out["rows"].push_back(Json::array());
  for (const Col& column : columns) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < all.size(); ++i) cells.push_back(column.of(all[i], results[i]));
    if (std::all_of(cells.begin(), cells.end(), [](auto& c) { return c.empty(); })) continue;
    out["columns"].push_back(column.label);
    for (std::size_t i = 0; i < all.size(); ++i) out["rows"][i].push_back(cells[i]);
  }
  return out;
}

// Names down, series across; those with different values first.
Json side_by_side(const std::vector<Series>& all, const char* what, Json Run::*of) {
  std::vector<std::string> names;
  for (const Series& s : all)
    if (const Json& values = s.runs.front().*of; values.is_object())
      for (const auto& [name, value] : values.items())
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  Json same = Json::array(), different = Json::array();
  for (const std::string& name : names) {
    if (name == "seed") continue;
    Json row = {name};
    std::set<std::string> kinds;
    for (const Series& s : all) {
      const Json& values = s.runs.front().*of;
      std::string text;
      if (values.is_object() && values.contains(name))
        text = values[name].is_string() ? values[name].get<std::string>() : values[name].dump();
      kinds.insert(text);
      row.push_back(text);
    }
    (kinds.size() > 1 ? different : same).push_back(row);
  }
  Json out = {{"columns", {what}}, {"rows", different}};
  for (const Series& s : all) out["columns"].push_back(s.label);
  for (const Json& row : same) out["rows"].push_back(row);
  return out;
}

}  // namespace

Json report(const std::vector<Series>& series) {
  require(!series.empty(), "a report needs at least one record");
  std::vector<std::string> order;
  for (const Series& s : series)
    if (std::find(order.begin(), order.end(), s.experiment) == order.end())
      order.push_back(s.experiment);
  Json sections = Json::array();
  std::string title;
  for (const std::string& experiment : order) {
    std::vector<Series> part;
    for (const Series& s : series)
      if (s.experiment == experiment) part.push_back(s);
    std::vector<Result> results;
    for (const Series& s : part) results.push_back(result(s));
    Json section;
    section["experiment"] = experiment;
    section["title"] = experiment_title(experiment);
    section["summary"] = summary(part, results);
    section["results"] = results_table(part, results);
    section["figures"] = figures(part);
    section["settings"] = side_by_side(part, "setting", &Run::settings);
    section["environment"] = side_by_side(part, "made with", &Run::environment);
    sections.push_back(std::move(section));
    title += (title.empty() ? "" : ", ") + experiment_title(experiment);
  }
  return {{"title", title}, {"version", version()}, {"sections", sections}};
}

std::string report_text(const Json& report) {
  std::string out;
  for (const Json& section : report.at("sections")) {
    out += fmt::format("{}{}\n\n", out.empty() ? "" : "\n", section.at("title").get<std::string>());
    for (const Json& item : section.at("summary")) {
      const auto lead = item.at("lead").get<std::string>();
      out += lead + (lead.empty() ? "" : " ") + item.at("text").get<std::string>() + "\n";
    }
    out += '\n';
    TextTable table(section.at("results").at("columns"));
    for (const Json& row : section.at("results").at("rows")) table.add(row);
    out += table.text("");
    out += "\nWhat the figures show:\n";
    for (const Json& figure : section.at("figures"))
      out += fmt::format("- {}\n", figure.at("title").get<std::string>());
  }
  return out;
}

}  // namespace vargp
