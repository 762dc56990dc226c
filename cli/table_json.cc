#include "cli/table_json.h"

#include <fmt/format.h>

#include "cli/show.h"
#include "vargp/models/settings.h"

namespace vargp {

Json to_json(const TableModel& model, const TaskRecord& r) {
  Json out = {{"date", r.date},
              {"source", r.source},
              {"rows", r.rows},
              {"inducing", r.inducing},
              {"bound", r.bound}};
  if (r.validation)
    out[model.regression() ? "validation_rmse" : "validation_accuracy"] = *r.validation;
  out["seconds"] = r.seconds;
  if (!model.regression()) {
    Json classes = Json::object();
    for (std::size_t k = 0; k < r.class_rows.size(); ++k)
      if (r.class_rows[k] > 0) classes[model.classes()[k]] = r.class_rows[k];
    out["class_rows"] = std::move(classes);
  }
  return out;
}

Json to_json(const Moved& moved, bool regression) {
  if (regression) return {{"distance", moved.distance}};
  return {{"distance", moved.distance}, {"changed", moved.changed}};
}

Json to_json(const TableModel& model, const TableReport& r) {
  Json out = {{"task", r.task}};
  out.update(to_json(model, r.record));
  if (!model.regression()) {
    out["classes"] = model.classes();
    out["new_classes"] = r.new_classes;
  }
  out["inducing_of_all_tasks"] = r.n;
  out["state_bytes"] = r.state_bytes;
  Json moved = Json::array();
  for (const Moved& m : r.moved) moved.push_back(to_json(m, model.regression()));
  out["moved"] = std::move(moved);
  return out;
}

Json to_json(const TableModel& model) {
  Json tasks = Json::array();
  const auto moved = model.moved();
  for (std::size_t t = 0; t < model.history().size(); ++t) {
    Json task = to_json(model, model.history()[t]);
    task["moved"] = to_json(moved[t], model.regression());
    tasks.push_back(std::move(task));
  }
  Json scales = Json::array();
  for (const Lengthscale& l : model.lengthscales())
    scales.push_back({{"input", l.input},
                      {"lengthscale", l.value},
                      {"lengthscale_in_units", l.units},
                      {"log_deviation", l.deviation},
                      {"known", l.known}});
  Json points = Json::array();
  for (const auto& Z : model.inducing_inputs()) points.push_back(to_json(Z));
  return {{"schema", to_json(model.schema())},
          {"tasks", tasks},
          {"theta", {{"lengthscales", scales}, {"scale", model.scale()}}},
          {"noise_sd", model.noise()},
          {"inputs", model.schema().inputs()},
          {"inducing_inputs", points},
          {"state_bytes", model.state_bytes()},
          {"settings", to_json(static_cast<const Options&>(model.options()))}};
}

std::string moved_table(const TableModel& model, const std::vector<Moved>& moved) {
  const bool regression = model.regression();
  TextTable table(regression ? std::vector<std::string>{"task", "source", "moved"}
                             : std::vector<std::string>{"task", "source", "moved", "other class"},
                  regression ? "rlr" : "rlrr");
  for (std::size_t t = 0; t < moved.size(); ++t) {
    std::vector<std::string> row = {std::to_string(t + 1), model.history()[t].source};
    row.push_back(regression ? fmt::format("{:.3f} sd", moved[t].distance)
                             : fmt::format("{:.2f} %", 100 * moved[t].distance));
    if (!regression) row.push_back(fmt::format("{:.2f} %", 100 * moved[t].changed));
    table.add(std::move(row));
  }
  return table.text();
}

}  // namespace vargp
