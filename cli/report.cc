#include "vargp/report/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/watch.h"

namespace vargp {
namespace {

struct Arguments {
  std::vector<std::filesystem::path> records;
  std::filesystem::path out;
  bool text = false, watch = false;
  int port = 0;
};

void report_command(const Arguments& a) {
  if (a.watch) return watch_report(a.records, a.port);
  if (a.text) {
    fmt::print("{}", report_text(report(read_all(a.records))));
    return;
  }
  // Beside the record where there is one folder, else here.
  const auto out = !a.out.empty() ? a.out
                   : a.records.size() == 1 && std::filesystem::is_directory(a.records.front())
                       ? a.records.front() / "report.html"
                       : std::filesystem::path("report.html");
  write_report(a.records, out);
  fmt::print("report: {}\n", out.string());
}

}  // namespace

void add_report(CLI::App& app) {
  CLI::App* report = app.add_subcommand(
      "report", "One HTML page about runs: several models and seeds are compared");
  auto a = std::make_shared<Arguments>();
  report
      ->add_option("records", a->records,
                   "Folders of runs (or of such folders), or records themselves")
      ->required();
  auto* out = report->add_option(
      "--out", a->out, "The page; DIR/report.html if not given, or report.html for several");
  auto* text = report->add_flag("--text", a->text, "The same facts on the terminal, and no page")
                   ->excludes(out);
  report
      ->add_flag("--watch", a->watch,
                 "Serve the page to this machine only, and renew it while a run goes on")
      ->excludes(text)
      ->excludes(out);
  report->add_option("--port", a->port, "Of --watch; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  report->callback([a] { report_command(*a); });
}

}  // namespace vargp
