// How fast a CSV file is read, for bench/csv_peer.py, which compares it with others. Also makes the
// file: whole columns of normal numbers with six digits, and a label.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "vargp/core/error.h"
#include "vargp/core/random.h"
#include "vargp/data/table.h"
#include "vargp/io/atomic_file.h"
#include "vargp/io/environment.h"

namespace vargp {
namespace {

void make(const std::string& path, Index rows, Index columns) {
  AtomicFile file(path);
  std::string text;
  for (Index c = 0; c + 1 < columns; ++c) text += fmt::format("feature_{},", c);
  text += "label\n";
  const Index step = 1000;
  for (Index i = 0; i < rows; i += step) {
    const Mat<double> X = Random(1, Purpose::kTest, 0, i).normals<double>(columns, step);
    for (Index r = 0; r < std::min(step, rows - i); ++r) {
      for (Index c = 0; c + 1 < columns; ++c)
        fmt::format_to(std::back_inserter(text), "{:.6g},", X(c, r));
      fmt::format_to(std::back_inserter(text), "{}\n", X(columns - 1, r) > 0 ? 1 : 0);
    }
    file.write(text);
    text.clear();
  }
  file.commit();
}

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Every number of the file, in chunks.
nlohmann::json read(const std::string& path, Index chunk_rows) {
  const auto clock = std::chrono::steady_clock::now();
  const double before = processor_seconds();
  const auto table = open_table(path);
  TableChunk chunk;
  Index rows = 0;
  double sum = 0;
  while (table->next(chunk, chunk_rows)) {
    rows += chunk.rows;
    sum += chunk.number.sum();
  }
  const double processor = processor_seconds() - before;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return {
      {"rows", rows},
      {"columns", table->columns().size()},
      {"sum", sum},
      {"seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count()},
      {"processor_seconds", processor},
      {"peak_memory_bytes", used.ru_maxrss * 1024}};
}

}  // namespace
}  // namespace vargp

int main(int argc, char** argv) {
  std::string path;
  bool make = false;
  vargp::Index rows = 2'000'000, columns = 20, chunk_rows = 4096;
  CLI::App app("Reads a CSV file once and prints how long it took, as JSON");
  app.add_option("FILE", path)->required();
  app.add_flag("--make", make, "Make the file instead");
  app.add_option("--rows", rows)->capture_default_str();
  app.add_option("--columns", columns)->capture_default_str();
  app.add_option("--chunk-rows", chunk_rows)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    if (make) {
      vargp::make(path, rows, columns);
    } else {
      nlohmann::json result = vargp::read(path, chunk_rows);
      result["environment"] = vargp::environment();
      fmt::print("{}\n", result.dump());
    }
  } catch (const vargp::Error& error) {
    fmt::print(stderr, "vargp_csv: {}\n", error.what());
    return 2;
  }
}
