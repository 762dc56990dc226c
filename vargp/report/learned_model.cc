#include "vargp/report/learned_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "vargp/io/text.h"

namespace vargp {
namespace {

LearnedTask learned_task(const Json& json) {
  LearnedTask out;
  out.date = json.at("date").get<std::string>().substr(0, 16);
  std::replace(out.date.begin(), out.date.end(), 'T', ' ');
  out.source = printable(json.at("source"));
  out.rows = json.at("rows");
  out.inducing = json.at("inducing");
  out.bound_per_row = json.at("bound").get<double>() / static_cast<double>(out.rows);
  out.seconds = json.at("seconds");
  for (const char* key : {"validation_accuracy", "validation_rmse"})
    if (json.contains(key)) out.validation = json[key].get<double>();
  out.moved = json.at("moved").at("distance");
  out.changed = json.at("moved").value("changed", 0.0);
  if (json.contains("class_rows"))
    for (const auto& [label, rows] : json["class_rows"].items())
      out.classes.emplace_back(printable(label), rows);
  return out;
}

}  // namespace

std::string LearnedTask::named() const {
  return fmt::format("task {}{}", number, source.empty() ? "" : " (" + source + ")");
}

Index LearnedModel::rows() const {
  Index sum = 0;
  for (const LearnedTask& t : tasks) sum += t.rows;
  return sum;
}

Index LearnedModel::inducing() const {
  Index sum = 0;
  for (const LearnedTask& t : tasks) sum += t.inducing;
  return sum;
}

double LearnedModel::seconds() const {
  double sum = 0;
  for (const LearnedTask& t : tasks) sum += t.seconds;
  return sum;
}

const LearnedTask& LearnedModel::moved_most() const {
  return *std::max_element(tasks.begin(), tasks.end(),
                           [](const auto& a, const auto& b) { return a.moved < b.moved; });
}

std::string LearnedModel::distance(double moved) const {
  return regression ? fmt::format("{:.3f} sd", moved) : fmt::format("{:.2f} %", 100 * moved);
}

std::string LearnedModel::validation(double value) const {
  return regression ? fmt::format("{:.4g}", value) : fmt::format("{:.2f} %", 100 * value);
}

LearnedModel learned_model(const std::string& name, const Json& inspected) {
  const Json& schema = inspected.at("schema");
  LearnedModel out;
  out.name = printable(name);
  out.label = printable(schema.at("label"));
  out.regression = schema.at("regression");
  out.standardised = schema.at("standardise");
  out.classes = std::ssize(schema.at("classes"));
  out.image_rows = schema.at("image").at(0);
  out.image_cols = schema.at("image").at(1);
  out.state_bytes = inspected.at("state_bytes");
  std::set<std::string> known;
  for (const Json& json : inspected.at("tasks")) {
    LearnedTask task = learned_task(json);
    for (const auto& entry : task.classes)
      if (known.insert(entry.first).second) task.fresh.push_back(entry.first);
    task.Z = inspected.at("inducing_inputs").at(out.tasks.size());
    out.tasks.push_back(std::move(task));
    out.tasks.back().number = std::ssize(out.tasks);
  }
  for (const Json& l : inspected.at("theta").at("lengthscales"))
    out.scales.push_back({printable(l.at("input")), out.scales.size(), l.at("lengthscale"),
                          l.at("lengthscale_in_units"), l.at("log_deviation")});
  // Over a short lengthscale the function changes much.
  std::stable_sort(out.scales.begin(), out.scales.end(),
                   [](const auto& a, const auto& b) { return a.value < b.value; });
  return out;
}

std::string counted(Index count, const std::string& one, const std::string& many) {
  return grouped(count) + " " + (count == 1 ? one : many);
}

}  // namespace vargp
