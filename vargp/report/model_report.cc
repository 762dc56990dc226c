#include "vargp/report/model_report.h"

#include <fmt/format.h>

#include "vargp/core/error.h"
#include "vargp/io/environment.h"
#include "vargp/io/text.h"

namespace vargp {
namespace {

Json said(const std::string& lead, const std::string& text) {
  return {{"lead", lead}, {"text", text}};
}

Json what_it_is(const LearnedModel& m) {
  const LearnedTask& last = m.tasks.back();
  std::string when = m.tasks.size() > 1 ? "the last " : "";
  if (!last.source.empty()) when += "from " + last.source + " ";
  when += "on " + last.date.substr(0, 10);
  const std::string text = fmt::format(
      "predicts {} ({}) from {}. It has learned {} in {} ({}), which took {}. Instead of the rows "
      "it "
      "keeps {}: a state of {}.",
      m.label.empty() ? "a label" : m.label,
      m.regression ? "a number" : counted(m.classes, "class", "classes"),
      counted(std::ssize(m.scales), "input", "inputs"), counted(m.rows(), "row", "rows"),
      counted(std::ssize(m.tasks), "task", "tasks"), when, duration(m.seconds()),
      counted(m.inducing(), "inducing point", "inducing points"), size_of_bytes(m.state_bytes));
  return said(m.name, text);
}

Json how_good(const LearnedModel& m) {
  const LearnedTask &first = m.tasks.front(), &last = m.tasks.back();
  if (!last.validation) return {};
  std::string text = fmt::format("On rows of {} that were held out while it was learned, ",
                                 m.tasks.size() > 1 ? "the last task" : "the task");
  text += m.regression
              ? fmt::format("the root mean squared error was {}", m.validation(*last.validation))
              : fmt::format("{} of the answers were right", m.validation(*last.validation));
  if (m.tasks.size() > 1 && first.validation)
    text += fmt::format(" ({} for the first task)", m.validation(*first.validation));
  return said("How good?", text + ".");
}

Json what_is_new(const LearnedModel& m) {
  std::string text;
  for (const LearnedTask& t : m.tasks)
    if (t.number > 1 && !t.fresh.empty())
      text += fmt::format("{}{} brought {}", text.empty() ? "" : "; ", t.named(), listed(t.fresh));
  if (m.tasks.size() == 1 || m.regression) return {};
  if (text.empty()) return said("New classes?", "None since the first task.");
  text[0] = 'T';
  return said("New classes?", text + ".");
}

Json what_is_forgotten(const LearnedModel& m) {
  if (m.tasks.size() == 1) return {};
  const LearnedTask& most = m.moved_most();
  std::string text = fmt::format(
      "Without old rows, the model watches what it predicts at each task's inducing points. For {} "
      "this has moved most since it was learned, by {}",
      most.named(), m.distance(most.moved));
  if (!m.regression)
    text += fmt::format("; at {:.2f} % of the points another class is the most probable now",
                        100 * most.changed);
  return said("What was forgotten?", text + ".");
}

Json what_matters(const LearnedModel& m) {
  if (m.scales.size() == 1) return {};
  if (m.one_scale())
    return said("Which inputs matter?",
                fmt::format("The model has one lengthscale for all {} and does not say; one made "
                            "with --ard true would.",
                            counted(std::ssize(m.scales), "input", "inputs")));
  return said("Which inputs matter?",
              fmt::format("{} most, {} least.", m.scales.front().input, m.scales.back().input));
}

Json tasks_table(const LearnedModel& m) {
  Json out = {{"columns", {"task", "learned", "source", "rows"}}, {"align", "rllr"}};
  const auto add = [&](const char* name, char align) {
    out["columns"].push_back(name);
    out["align"].get_ref<std::string&>() += align;
  };
  if (!m.regression) add("new classes", 'l');
  add(m.regression ? "validation RMSE" : "validation", 'r');
  add("moved since", 'r');
  if (!m.regression) add("other class", 'r');
  add("bound a row", 'r');
  add("points", 'r');
  add("time", 'r');
  for (const LearnedTask& t : m.tasks) {
    std::vector<std::string> row = {std::to_string(t.number), t.date, t.source, grouped(t.rows)};
    if (!m.regression) row.push_back(t.fresh.empty() ? "none" : listed(t.fresh, 6));
    row.push_back(t.validation ? m.validation(*t.validation) : "");
    row.push_back(m.distance(t.moved));
    if (!m.regression) row.push_back(m.distance(t.changed));
    row.push_back(fmt::format("{:.3g}", t.bound_per_row));
    row.push_back(grouped(t.inducing));
    row.push_back(duration(t.seconds));
    out["rows"].push_back(row);
  }
  return out;
}

Json columns_table(const Json& schema) {
  Json out = {{"columns", {"column", "kind", "mean", "deviation", "levels"}},
              {"rows", Json::array()}};
  for (const Json& c : schema.at("columns")) {
    const std::string name = printable(c.at("name"));
    if (c.contains("levels"))
      out["rows"].push_back({name, "category", "", "",
                             printable(listed(c["levels"].get<std::vector<std::string>>()))});
    else
      out["rows"].push_back({name, "number", fmt::format("{:.4g}", c.at("mean").get<double>()),
                             fmt::format("{:.4g}", c.at("deviation").get<double>()), ""});
  }
  return out;
}

// Names and values.
Json listing(const char* what, const Json& values) {
  Json out = {{"columns", {what, "value"}}, {"rows", Json::array()}};
  for (const auto& [name, value] : values.items())
    out["rows"].push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
  return out;
}

}  // namespace

Json model_report(const std::string& name, const Json& inspected) {
  require(!inspected.at("tasks").empty(), "{}: has not learned anything yet", name);
  const LearnedModel model = learned_model(name, inspected);
  Json section = {{"title", model.name}, {"summary", Json::array()}};
  for (const Json& sentence : {what_it_is(model), how_good(model), what_is_new(model),
                               what_is_forgotten(model), what_matters(model)})
    if (!sentence.is_null()) section["summary"].push_back(sentence);
  section["results"] = tasks_table(model);
  section["figures"] = model_figures(model, inspected.at("settings"));
  if (model.image_rows == 0) section["columns"] = columns_table(inspected.at("schema"));
  section["settings"] = listing("setting", inspected.at("settings"));
  section["environment"] = listing("this page was made with", environment());
  return {{"title", model.name}, {"version", version()}, {"sections", {section}}};
}

}  // namespace vargp
