#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/table_arguments.h"
#include "vargp/core/error.h"
#include "vargp/io/atomic_file.h"
#include "vargp/io/record.h"
#include "vargp/table/table_columns.h"
#include "vargp/table/table_model.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;

constexpr Index kChunk = 1024;
constexpr const char* kStopped = "vargp: stopped; nothing was written\n";

struct Arguments {
  fs::path model, data, out;
  std::string format;
  double interval = 0.95;
  int threads = 0;
  TableOptions table;
  std::vector<std::string> ignored;
};

// What is said of a row: numbers, after the label of a class.
struct Answer {
  std::vector<std::string> names;
  RowMat<double> values;  // [rows, names]
};

Answer answer(const TableModel& model, const TablePrediction& p, double z) {
  Answer out;
  const Index N = p.mean.rows();
  if (model.regression()) {
    out.names = {"mean", "sd", "low", "high", "variance_of_mean"};
    out.values.resize(N, 5);
    out.values << p.mean, p.sd, p.mean - z * p.sd, p.mean + z * p.sd, p.var;
    return out;
  }
  const auto C = std::ssize(model.classes());
  out.values.resize(N, 3 * C + 1);
  out.values << p.probability, p.entropy, p.mean, p.var;
  for (const std::string& name : model.classes()) out.names.push_back("probability_" + name);
  out.names.emplace_back("entropy");
  for (const std::string& name : model.classes()) out.names.push_back("latent_mean_" + name);
  for (const std::string& name : model.classes()) out.names.push_back("latent_variance_" + name);
  return out;
}

// Quoted where RFC 4180 asks for it.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string csv_head(const TableModel& model, const Answer& a) {
  std::string out = model.regression() ? "" : "label,";
  for (std::size_t k = 0; k < a.names.size(); ++k) out += (k > 0 ? "," : "") + cell(a.names[k]);
  return out + "\n";
}

std::string csv_rows(const TableModel& model, const TablePrediction& p, const Answer& a) {
  fmt::memory_buffer out;
  for (Index i = 0; i < a.values.rows(); ++i) {
    if (!model.regression())
      fmt::format_to(
          std::back_inserter(out), "{},",
          cell(model.classes()[static_cast<std::size_t>(p.label[static_cast<std::size_t>(i)])]));
    for (Index k = 0; k < a.values.cols(); ++k)
      fmt::format_to(std::back_inserter(out), "{}{}", k > 0 ? "," : "", a.values(i, k));
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

std::string json_rows(const TableModel& model, const TablePrediction& p, const Answer& a) {
  std::string out;
  const auto by_class = [&](const Eigen::MatrixXd& values, Index i) {
    Json json = Json::object();
    for (std::size_t c = 0; c < model.classes().size(); ++c)
      json[model.classes()[c]] = values(i, static_cast<Index>(c));
    return json;
  };
  for (Index i = 0; i < a.values.rows(); ++i) {
    Json row;
    if (model.regression()) {
      for (std::size_t k = 0; k < a.names.size(); ++k)
        row[a.names[k]] = a.values(i, static_cast<Index>(k));
    } else {
      row = {{"label",
              model.classes()[static_cast<std::size_t>(p.label[static_cast<std::size_t>(i)])]},
             {"probability", by_class(p.probability, i)},
             {"entropy", p.entropy(i)},
             {"latent_mean", by_class(p.mean, i)},
             {"latent_variance", by_class(p.var, i)}};
    }
    out += row.dump() + "\n";
  }
  return out;
}

// A matrix of doubles, with the label as its place among the classes in the first column.
std::string npy(const std::vector<std::string>& parts, Index rows, Index cols) {
  std::string head =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, cols);
  head.resize((head.size() + 10) / 64 * 64 + 64 - 11, ' ');
  head += '\n';
  std::string out = "\x93NUMPY\x01";
  out += '\0';
  out += static_cast<char>(head.size() & 0xFF);
  out += static_cast<char>(head.size() >> 8);
  out += head;
  for (const std::string& part : parts) out += part;
  return out;
}

std::string npy_rows(const TableModel& model, const TablePrediction& p, const Answer& a) {
  const Index first = model.regression() ? 0 : 1;
  RowMat<double> values(a.values.rows(), a.values.cols() + first);
  for (Index i = 0; first == 1 && i < values.rows(); ++i)
    values(i, 0) = static_cast<double>(p.label[static_cast<std::size_t>(i)]);
  values.rightCols(a.values.cols()) = a.values;
  return {reinterpret_cast<const char*>(values.data()),
          static_cast<std::size_t>(values.size()) * sizeof(double)};
}

std::string format_of(const Arguments& a) {
  if (!a.format.empty()) return a.format;
  const std::string ending = a.out.extension().string();
  if (ending == ".npy") return "npy";
  if (ending == ".json" || ending == ".jsonl" || ending == ".ndjson") return "json";
  return "csv";
}

void predict_command(const Arguments& a) {
  for (const fs::path& input : {a.model, a.data}) {
    std::error_code none;  // of a path that is not there, or of standard input
    require(!fs::equivalent(input, a.out, none), "--out {}: is what is read", a.out.string());
  }
  const TableModel model = TableModel::load(a.model, a.threads);
  Schema schema = model.schema();
  schema.ignored.insert(schema.ignored.end(), a.ignored.begin(), a.ignored.end());
  require(a.interval > 0 && a.interval < 1, "--interval {:g}: must be in (0, 1)", a.interval);
  const double z = interval_width(a.interval);
  const std::string format = format_of(a);
  const auto reader = open_table(a.data, a.table);
  TableColumns columns(schema, *reader, false);

  // Ctrl-C takes a half-written file away again.
  std::optional<Interrupt> interrupt;
  std::optional<AtomicFile> file;
  if (!a.out.empty()) {
    interrupt.emplace(kStopped);
    file.emplace(a.out);
  }
  const auto write = [&](const std::string& bytes) {
    if (file) return file->write(bytes);
    // Row by row for whoever waits at the other end.
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() &&
                         std::fflush(stdout) == 0;
    require(written, "standard output: cannot be written: {}", std::strerror(errno));
  };
  std::vector<std::string> parts;  // of an NPY file, which begins with its number of rows
  Index rows = 0, cols = 0;
  TableChunk chunk;
  for (bool first = true; columns.next(chunk, kChunk); first = false) {
    if (interrupt && interrupt->requested()) throw Interrupted{kStopped};
    const TablePrediction p = model.predict_encoded(columns.encode(chunk));
    const Answer said = answer(model, p, z);
    if (format == "npy") {
      parts.push_back(npy_rows(model, p, said));
      cols = std::ssize(said.names) + (model.regression() ? 0 : 1);
    } else if (format == "json") {
      write(json_rows(model, p, said));
    } else {
      write((first ? csv_head(model, said) : "") + csv_rows(model, p, said));
    }
    rows += chunk.rows;
  }
  if (format == "npy") write(npy(parts, rows, cols));
  if (file) {
    file->commit();
    fmt::print("{}: {} rows\n", a.out.string(), rows);
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("predict", "Predict the labels of new rows, and how sure that is");
  auto a = std::make_shared<Arguments>();
  command->add_option("MODEL", a->model, "The model file")->required()->type_name("");
  command
      ->add_option("DATA", a->data, std::string("The rows: ") + kFormats + ", answered row by row")
      ->required()
      ->type_name("");
  command->add_option("--out", a->out, "File to write; standard output if not given")
      ->type_name("FILE");
  command
      ->add_option("--format", a->format,
                   "csv, json (a line for each row) or npy; by the ending of FILE if not given, "
                   "else csv")
      ->check(CLI::IsMember({"csv", "json", "npy"}));
  command->add_flag_callback(
      "--json", [a] { a->format = "json"; }, "The same as --format json");
  command
      ->add_option("--interval", a->interval,
                   "Regression: the share of observations that lie between low and high")
      ->capture_default_str();
  add_names(*command, "--ignore", a->ignored, "Columns that are not read");
  command->add_option("--threads", a->threads, "Threads; 0: all cores")->capture_default_str();
  add_table_options(*command, a->table);
  command->callback([a] { predict_command(*a); });
}

}  // namespace vargp
