#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "cli/commands.h"
#include "cli/show.h"
#include "cli/table_arguments.h"
#include "vargp/core/error.h"
#include "vargp/eval/metrics.h"
#include "vargp/io/record.h"
#include "vargp/table/table_columns.h"
#include "vargp/table/table_model.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;

constexpr Index kChunk = 4096;

struct Arguments {
  fs::path model;
  std::vector<fs::path> data;
  int threads = 0;
  bool json = false;
  TableOptions table;
  std::vector<std::string> ignored;
};

using Body = std::function<void(const TableColumns&, const TableChunk&, const TablePrediction&)>;

// Predictions for every chunk of the files.
void each(const Arguments& a, const TableModel& model, const Body& body) {
  Schema schema = model.schema();
  schema.ignored.insert(schema.ignored.end(), a.ignored.begin(), a.ignored.end());
  for (const fs::path& path : a.data) {
    const auto reader = open_table(path, a.table);
    TableColumns columns(schema, *reader, true);
    TableChunk chunk;
    while (columns.next(chunk, kChunk))
      body(columns, chunk, model.predict_encoded(columns.encode(chunk)));
  }
}

// Confidence and accuracy side by side, in bars.
std::string reliability(const Metrics& m) {
  TextTable table({"confidence", "rows", "right", ""}, "lrrl");
  const auto count = static_cast<double>(m.bins.size());
  for (std::size_t b = 0; b < m.bins.size(); ++b) {
    const CalibrationBin& bin = m.bins[b];
    if (bin.count == 0) continue;
    std::string bar;
    for (int k = 0; k < 20; ++k) bar += k < std::lround(20 * bin.accuracy) ? "█" : "░";
    table.add({fmt::format("{:3.0f} to {:3.0f} %", 100 * static_cast<double>(b) / count,
                           100 * static_cast<double>(b + 1) / count),
               grouped(bin.count), fmt::format("{:.1f} %", 100 * bin.accuracy), bar});
  }
  return table.text();
}

void evaluate_classes(const Arguments& a, const TableModel& model) {
  const auto C = std::ssize(model.classes());
  Metrics all;
  Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic> confusion;
  confusion.setZero(C, C);
  each(a, model,
       [&](const TableColumns& columns, const TableChunk& chunk, const TablePrediction& p) {
         const std::vector<int> y = columns.classes(chunk);
         all = merged(all, metrics(p.probability, y));
         for (std::size_t i = 0; i < y.size(); ++i) ++confusion(y[i], p.label[i]);
       });
  if (a.json) {
    Json bins = Json::array();
    for (const CalibrationBin& b : all.bins)
      bins.push_back({{"count", b.count}, {"confidence", b.confidence}, {"accuracy", b.accuracy}});
    fmt::print("{}", record_text({{"rows", all.N},
                                  {"accuracy", all.accuracy},
                                  {"nll", all.nll},
                                  {"calibration_error", all.calibration_error},
                                  {"calibration_bins", bins},
                                  {"entropy", all.entropy},
                                  {"classes", model.classes()},
                                  {"confusion", to_json(confusion)}}));
    return;
  }
  fmt::print("{} rows\n", grouped(all.N));
  fmt::print("  accuracy           {:.2f} %\n", 100 * all.accuracy);
  fmt::print("  NLL                {:.4f}\n", all.nll);
  fmt::print("  calibration error  {:.2f} %\n", 100 * all.calibration_error);
  fmt::print("  entropy            {:.3f} (0 is sure, 1 knows nothing)\n", all.entropy);
  fmt::print("\nHow often it is right when it says so\n{}", reliability(all));
  std::vector<std::string> head = {"true \\ said"};
  head.insert(head.end(), model.classes().begin(), model.classes().end());
  head.emplace_back("right");
  TextTable table(head);
  for (Index i = 0; i < C; ++i) {
    std::vector<std::string> row = {model.classes()[static_cast<std::size_t>(i)]};
    for (Index j = 0; j < C; ++j)
      row.push_back(confusion(i, j) == 0 ? "." : grouped(confusion(i, j)));
    const Index count = confusion.row(i).sum();
    row.push_back(count == 0 ? "-"
                             : fmt::format("{:.1f} %", 100 * static_cast<double>(confusion(i, i)) /
                                                           static_cast<double>(count)));
    table.add(std::move(row));
  }
  fmt::print("\nConfusion matrix\n{}", table.text());
}

void evaluate_regression(const Arguments& a, const TableModel& model) {
  const std::vector<double> levels = {0.5, 0.8, 0.9, 0.95};
  double N = 0, squares = 0, absolute = 0, nll = 0, sum = 0, sum_squares = 0;
  std::vector<double> inside(levels.size());
  each(a, model,
       [&](const TableColumns& columns, const TableChunk& chunk, const TablePrediction& p) {
         const Eigen::MatrixXd y = columns.targets(chunk);
         for (Index i = 0; i < y.rows(); ++i) {
           const double error = y(i) - p.mean(i), sd = p.sd(i);
           ++N;
           const double change = y(i) - sum;  // sum: the running mean
           sum += change / N;
           sum_squares += change * (y(i) - sum);
           squares += error * error;
           absolute += std::abs(error);
           nll += 0.5 * std::log(2 * std::numbers::pi * sd * sd) + 0.5 * error * error / (sd * sd);
           for (std::size_t k = 0; k < levels.size(); ++k)
             inside[k] += std::abs(error) <= interval_width(levels[k]) * sd;
         }
       });
  const double rmse = std::sqrt(squares / N), r2 = sum_squares > 0 ? 1 - squares / sum_squares : 0;
  if (a.json) {
    Json coverage = Json::array();
    for (std::size_t k = 0; k < levels.size(); ++k)
      coverage.push_back({{"interval", levels[k]}, {"inside", inside[k] / N}});
    fmt::print("{}", record_text({{"rows", static_cast<Index>(N)},
                                  {"rmse", rmse},
                                  {"mean_absolute_error", absolute / N},
                                  {"r2", r2},
                                  {"nll", nll / N},
                                  {"coverage", coverage}}));
    return;
  }
  fmt::print("{} rows\n", grouped(static_cast<Index>(N)));
  fmt::print("  root mean squared error  {:.4g}\n", rmse);
  fmt::print("  mean absolute error      {:.4g}\n", absolute / N);
  fmt::print("  R squared                {:.3f}\n", r2);
  fmt::print("  NLL                      {:.4f}\n", nll / N);
  TextTable table({"interval", "rows inside"}, "rr");
  for (std::size_t k = 0; k < levels.size(); ++k)
    table.add(
        {fmt::format("{:g} %", 100 * levels[k]), fmt::format("{:.1f} %", 100 * inside[k] / N)});
  fmt::print("\nCoverage\n{}", table.text());
}

void evaluate_command(const Arguments& a) {
  const TableModel model = TableModel::load(a.model, a.threads);
  if (model.regression())
    evaluate_regression(a, model);
  else
    evaluate_classes(a, model);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("evaluate", "Compare a model's predictions with labels that are known");
  auto a = std::make_shared<Arguments>();
  command->add_option("MODEL", a->model, "The model file")->required()->type_name("");
  command->add_option("DATA", a->data, std::string("Rows with their labels: ") + kFormats)
      ->required()
      ->type_name("");
  command->add_flag("--json", a->json, "The figures as JSON");
  add_names(*command, "--ignore", a->ignored, "Columns that are not read");
  command->add_option("--threads", a->threads, "Threads; 0: all cores")->capture_default_str();
  add_table_options(*command, a->table);
  command->callback([a] { evaluate_command(*a); });
}

}  // namespace vargp
