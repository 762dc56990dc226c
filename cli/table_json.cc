#include "cli/table_json.h"

#include <fmt/format.h>

#include "cli/show.h"

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
