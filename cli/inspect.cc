#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "cli/commands.h"
#include "cli/model_page.h"
#include "cli/show.h"
#include "cli/table_json.h"
#include "vargp/core/error.h"
#include "vargp/io/safetensors.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  fs::path model, pictures, report;
  bool points = false, json = false;
};

bool has_pictures(const TableModel& model) { return model.schema().image_rows > 0; }

// The inducing inputs of a task as pictures, from 0 to 1.
std::vector<RowMat<double>> pictures_of(const TableModel& model, const RowMat<double>& Z,
                                        Index most) {
  const Index rows = model.schema().image_rows, cols = model.schema().image_cols;
  const double low = Z.minCoeff(), range = std::max(Z.maxCoeff() - low, 1e-12);
  std::vector<RowMat<double>> out;
  for (Index m = 0; m < std::min(most, Z.rows()); ++m) {
    const Eigen::RowVectorXd z = Z.row(m);
    out.emplace_back((Eigen::Map<const RowMat<double>>(z.data(), rows, cols).array() - low) /
                     range);
  }
  return out;
}

std::string file_sum(const State& state) {
  // One number for the whole model: that of its tensors' bytes, in the order of their names.
  std::string sums;
  for (const auto& [name, tensor] : state.tensors) sums += name + checksum(tensor.values());
  return checksum(sums);
}

// Everything, and what tells this file from another.
Json described(const TableModel& model, const State& state, std::uintmax_t file_bytes) {
  Json out = to_json(model);
  out["file_bytes"] = file_bytes;
  out["xxh3"] = file_sum(state);
  for (const auto& [name, tensor] : state.tensors)
    out["tensor_xxh3"][name] = checksum(tensor.values());
  return out;
}

void print_tasks(const TableModel& model) {
  const bool regression = model.regression();
  TextTable table({"task", "learned", "source", "rows", "points",
                   regression ? "validation rmse" : "validation", "moved since"},
                  "rllrrrr");
  const auto moved = model.moved();
  for (std::size_t t = 0; t < model.history().size(); ++t) {
    const TaskRecord& r = model.history()[t];
    std::string date = r.date.substr(0, std::min<std::size_t>(16, r.date.size()));
    std::replace(date.begin(), date.end(), 'T', ' ');
    table.add({std::to_string(t + 1), date, r.source.empty() ? "-" : r.source, grouped(r.rows),
               grouped(r.inducing),
               !r.validation ? "-"
               : regression  ? fmt::format("{:.4g}", *r.validation)
                             : fmt::format("{:.2f} %", 100 * *r.validation),
               regression ? fmt::format("{:.3f} sd", moved[t].distance)
                          : fmt::format("{:.2f} %", 100 * moved[t].distance)});
  }
  fmt::print("\nTasks\n{}", table.text());
}

void print_classes(const TableModel& model) {
  TextTable table({"class", "rows", "tasks"}, "lrl");
  for (std::size_t c = 0; c < model.classes().size(); ++c) {
    Index rows = 0;
    std::string tasks;
    for (std::size_t t = 0; t < model.history().size(); ++t) {
      const auto& counts = model.history()[t].class_rows;
      if (c >= counts.size() || counts[c] == 0) continue;
      rows += counts[c];
      tasks += (tasks.empty() ? "" : ", ") + std::to_string(t + 1);
    }
    table.add({model.classes()[c], grouped(rows), tasks.empty() ? "-" : tasks});
  }
  fmt::print("\nClasses{}\n{}", model.schema().grows ? "" : " (no others may come)", table.text());
}

// The inputs that matter most first: over a short lengthscale the function changes much.
void print_theta(const TableModel& model) {
  auto scales = model.lengthscales();
  const bool same = std::all_of(scales.begin(), scales.end(),
                                [&](const Lengthscale& l) { return l.value == scales[0].value; });
  fmt::print("\nKernel\n");
  if (same && scales.size() > 1) {
    fmt::print("  one lengthscale for all {} inputs, {:.3g}{}{}; scale {:.3g}\n", scales.size(),
               scales[0].value, model.schema().standardise ? " deviations" : "",
               scales[0].deviation > 0
                   ? fmt::format(" (times or by {:.2f})", std::exp(scales[0].deviation))
                   : "",
               model.scale());
  } else {
    std::sort(scales.begin(), scales.end(),
              [](const auto& a, const auto& b) { return a.value < b.value; });
    TextTable table({"input", "relevance", "lengthscale", "times or by", "in its units"}, "llrrr");
    constexpr std::size_t kMost = 30;
    for (std::size_t k = 0; k < std::min(kMost, scales.size()); ++k) {
      const Lengthscale& l = scales[k];
      const double relevance = scales[0].value / l.value;  // 1 for the most relevant
      std::string bar;
      for (int j = 0; j < 20; ++j) bar += j < std::lround(20 * relevance) ? "█" : "░";
      table.add({l.input, l.known ? bar : "not known", fmt::format("{:.3g}", l.value),
                 l.deviation > 0 ? fmt::format("{:.2f}", std::exp(l.deviation)) : "-",
                 fmt::format("{:.3g}", l.units)});
    }
    fmt::print("{}", table.text());
    if (scales.size() > kMost)
      fmt::print("  and {} more inputs, that matter less\n", scales.size() - kMost);
    fmt::print("  scale {:.3g}\n", model.scale());
  }
  if (model.regression()) fmt::print("  noise: a deviation of {:.4g}\n", model.noise());
}

void print_columns(const TableModel& model) {
  TextTable table({"column", "kind", "mean", "deviation", "levels"}, "llrrl");
  constexpr std::size_t kMost = 30;
  const auto& columns = model.schema().columns;
  for (std::size_t j = 0; j < std::min(kMost, columns.size()); ++j) {
    const Column& c = columns[j];
    if (c.categorical)
      table.add({c.name, "category", "", "", listed(c.levels, 6)});
    else
      table.add({c.name, "number", fmt::format("{:.4g}", c.mean),
                 fmt::format("{:.4g}", c.deviation), ""});
  }
  fmt::print("\nColumns (label: {})\n{}", model.schema().label, table.text());
  if (columns.size() > kMost) fmt::print("  and {} more columns\n", columns.size() - kMost);
}

void print_points(const TableModel& model) {
  const auto names = model.schema().inputs();
  const auto Z = model.inducing_inputs();
  for (std::size_t t = 0; t < Z.size(); ++t) {
    std::vector<std::string> head = {"point"};
    head.insert(head.end(), names.begin(), names.end());
    TextTable table(head, std::string(head.size(), 'r'));
    for (Index m = 0; m < Z[t].rows(); ++m) {
      std::vector<std::string> row = {std::to_string(m + 1)};
      for (const double z : Z[t].row(m)) row.push_back(fmt::format("{:.4g}", z));
      table.add(std::move(row));
    }
    fmt::print("\nInducing points of task {}\n{}", t + 1, table.text());
  }
}

void print_pictures(const TableModel& model) {
  const auto Z = model.inducing_inputs();
  const Index most = std::max<Index>(1, 76 / (model.schema().image_cols + 2));
  for (std::size_t t = 0; t < Z.size(); ++t)
    fmt::print("\nInducing points of task {}, the first {} of {}\n{}", t + 1,
               std::min(most, Z[t].rows()), Z[t].rows(), blocks(pictures_of(model, Z[t], most)));
}

void inspect_command(const Arguments& a) {
  ModelPage page(a.report);
  const TableModel model = TableModel::load(a.model);
  const State state = read_safetensors(a.model);
  const auto file_bytes = fs::file_size(a.model);
  if (!a.pictures.empty()) {
    require(has_pictures(model), "--pictures: the rows of {} are no pictures", a.model.string());
    std::vector<RowMat<double>> all;
    for (const auto& Z : model.inducing_inputs())
      for (auto& picture : pictures_of(model, Z, Z.rows())) all.push_back(std::move(picture));
    write_sheet(a.pictures, all,
                static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(all.size())))));
  }
  page.write(a.model, model);
  if (a.json) {
    fmt::print("{}", record_text(described(model, state, file_bytes)));
    return;
  }
  Index rows = 0, n = 0;
  for (const TaskRecord& r : model.history()) {
    rows += r.rows;
    n += r.inducing;
  }
  fmt::print("{}: {} of {} rows in {} task{}\n", a.model.string(),
             model.regression() ? "a regression" : "a classifier", grouped(rows), model.tasks(),
             model.tasks() == 1 ? "" : "s");
  fmt::print("  {} inputs, {} inducing points, file {}, state {}\n", model.schema().D(), grouped(n),
             size_of_bytes(file_bytes), size_of_bytes(model.state_bytes()));
  fmt::print("  checksum {} (all {} tensors match theirs)\n", file_sum(state),
             state.tensors.size());
  print_tasks(model);
  if (!model.regression()) print_classes(model);
  if (!has_pictures(model)) print_columns(model);
  print_theta(model);
  if (has_pictures(model)) print_pictures(model);
  if (a.points) print_points(model);
  if (!a.pictures.empty()) fmt::print("\nInducing points as pictures: {}\n", a.pictures.string());
  if (!a.report.empty()) fmt::print("\nreport: {}\n", a.report.string());
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* command = app.add_subcommand("inspect", "Show what is in a model");
  auto a = std::make_shared<Arguments>();
  command->add_option("MODEL", a->model, "The model file")->required()->type_name("");
  command->add_flag("--points", a->points, "List the inducing points, in the units of the columns");
  command
      ->add_option("--pictures", a->pictures,
                   "Write the inducing points of pictures to this .png or .pgm file")
      ->type_name("FILE");
  add_page_option(*command, a->report);
  command->add_flag("--json", a->json, "Everything as JSON");
  command->callback([a] { inspect_command(*a); });
}

}  // namespace vargp
