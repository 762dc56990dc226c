#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/commands.h"
#include "cli/jobs.h"
#include "cli/show.h"
#include "cli/tune.h"
#include "vargp/core/error.h"
#include "vargp/experiment/suite.h"
#include "vargp/report/paper.h"
#include "vargp/report/report.h"

namespace vargp {
namespace {

struct Arguments {
  std::string what;
  std::filesystem::path out = "runs/reproduce", suites;
  double budget = 0;
  int jobs = 0;
  bool dry = false;
};

// Suites stand beside the program: in the source tree, or where it was installed.
std::filesystem::path suites_folder(const std::filesystem::path& given) {
  if (!given.empty()) return given;
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  const std::filesystem::path places[] = {"experiments", program / "../experiments",
                                          program / "../share/vargp/experiments"};
  for (const auto& place : places)
    if (std::filesystem::exists(place / "table1.json")) return place.lexically_normal();
  fail("no suites in experiments/ nor beside the program: say where they are with --suites");
}

std::vector<std::filesystem::path> chosen(const Arguments& a) {
  std::vector<std::filesystem::path> files, out;
  for (const auto& entry : std::filesystem::directory_iterator(suites_folder(a.suites)))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string all;
  for (const auto& file : files) {
    all += file.stem().string() + ", ";
    if (a.what == "all" || file.stem() == a.what) out.push_back(file);
  }
  require(!out.empty(), "there is no suite {}; there are {}all", a.what, all);
  return out;
}

std::string percent(const Json& spread, std::size_t seeds) {
  const double mean = 100 * spread["mean"].get<double>();
  return seeds > 1 ? fmt::format("{:.2f} +- {:.2f}", mean, 100 * spread["deviation"].get<double>())
                   : fmt::format("{:.2f}", mean);
}

std::string paper_text(const Json& row) {
  if (!row.contains("paper")) return "";
  const Json& paper = row["paper"];
  return paper.contains("deviation") ? fmt::format("{:.2f} +- {:.2f}", paper["mean"].get<double>(),
                                                   paper["deviation"].get<double>())
                                     : fmt::format("{:.2f}", paper["mean"].get<double>());
}

void print_result(const Json& result) {
  fmt::print("\n{}\n", result["title"].get<std::string>());
  if (result.contains("cut"))
    fmt::print("cut to fit the budget: {}\n", result["cut"].get<std::string>());
  const std::string shows = result["shows"];
  std::vector<std::string> head = {"", "seeds"};
  const auto add = [&](std::initializer_list<const char*> names) {
    head.insert(head.end(), names.begin(), names.end());
  };
  std::size_t tasks = 0;
  for (const Json& row : result["rows"]) tasks = std::max(tasks, row.value("curve", Json()).size());
  if (shows == "accuracy") add({"accuracy %", "forgetting", "seconds"});
  if (shows == "curve" || shows == "memory" || shows == "inducing")
    for (std::size_t t = 0; t < tasks; ++t) head.push_back(fmt::format("task {}", t + 1));
  if (shows == "entropy") add({"seen", "unseen", "accuracy %"});
  add({"paper"});
  if (shows == "memory")
    fmt::print("mean probability of the right class on the points of task 1, after each task\n");
  if (shows == "curve" || shows == "inducing")
    fmt::print("accuracy in % over all tasks seen, after each task\n");
  if (shows == "entropy")
    fmt::print("mean predictive entropy / log C on tasks seen and not seen\n");
  TextTable table(head);
  for (const Json& row : result["rows"]) {
    const std::size_t seeds = row["seeds"].size();
    std::vector<std::string> line = {row["name"].get<std::string>(), std::to_string(seeds)};
    if (seeds > 0) {
      if (shows == "accuracy") {
        line.push_back(percent(row["final_accuracy"], seeds));
        line.push_back(percent(row["forgetting"], seeds));
        line.push_back(fmt::format("{:.0f}", row["learn_seconds"]["mean"].get<double>()));
      } else if (shows == "entropy") {
        for (const char* key : {"entropy_seen", "entropy_unseen"})
          line.push_back(fmt::format("{:.3f}", row[key]["mean"].get<double>()));
        line.push_back(percent(row["final_accuracy"], seeds));
      } else {
        const bool memory = shows == "memory";
        for (const Json& point : row[memory ? "memory" : "curve"])
          line.push_back(memory ? fmt::format("{:.3f}", point["mean"].get<double>())
                                : percent(point, seeds));
      }
    }
    line.resize(head.size() - 1);
    line.push_back(paper_text(row));
    table.add(std::move(line));
  }
  fmt::print("{}", table.text());
}

std::string told(const Plan& plan) {
  std::size_t done = 0;
  for (const Job& job : plan.jobs) done += job.done;
  std::string out = fmt::format("{} runs", plan.jobs.size());
  if (done > 0) out += fmt::format(", {} of them there already", done);
  if (done < plan.jobs.size()) out += fmt::format("; about {}", duration(60 * plan.minutes));
  if (!plan.cut.empty()) out += fmt::format(" (cut to {})", plan.cut);
  return out;
}

// A suite that is a search: the best settings found beside the paper's.
void reproduce_search(const std::filesystem::path& file, const Arguments& a, double budget) {
  SearchSuite suite = read_search(file);
  Search& search = suite.search;
  const int side_by_side = side_by_side_of(a.jobs);
  const int asked = search.trials;
  while (budget > 0 && search.trials > 2 && minutes_of(suite) / side_by_side > budget)
    search.trials /= 2;
  fmt::print("{}: {} trials; at most {}{}\n", file.stem().string(), search.trials,
             duration(60 * minutes_of(suite) / side_by_side),
             search.trials < asked ? fmt::format(" (cut from {} trials)", asked) : "");
  std::fflush(stdout);
  if (a.dry) return;
  Json result = tune(search, a.out, side_by_side);
  result["suite"] = file.stem().string();
  result["title"] = suite.title;
  if (search.trials < asked) result["cut"] = fmt::format("{} of {} trials", search.trials, asked);
  result["paper"] = suite.paper;
  const auto path = a.out / file.filename();
  write_record(path, result);
  fmt::print("\n{}\n", suite.title);
  TextTable table({"", "searched", "best found", "paper"});
  for (const Range& r : search.space) {
    const Json& best = result["settings"];
    table.add({r.setting, fmt::format("{:g} to {:g}", r.low, r.high),
               best.contains(r.setting) ? best[r.setting].dump() : "the preset's",
               suite.paper.contains(r.setting) ? suite.paper[r.setting].dump() : ""});
  }
  fmt::print("{}", table.text());
  fmt::print("result: {}\n", path.string());
}

void reproduce(const Arguments& a) {
  require(a.budget >= 0, "--budget {}: must be a number of minutes, 0 or above", a.budget);
  const int side_by_side = side_by_side_of(a.jobs);
  const auto files = chosen(a);
  const auto clock = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < files.size(); ++i) {
    // Each suite may have the same share of what is left.
    const std::chrono::duration<double, std::ratio<60>> gone =
        std::chrono::steady_clock::now() - clock;
    const double budget = a.budget > 0 ? std::max(0.1, a.budget - gone.count()) /
                                             static_cast<double>(files.size() - i)
                                       : 0;
    if (is_search(files[i])) {
      reproduce_search(files[i], a, budget);
      continue;
    }
    const Suite suite = read_suite(files[i]);
    std::vector<Json> paper;  // looked up now: a wrong name is found before the runs, not after
    for (const SuiteRow& row : suite.rows)
      paper.push_back(row.paper.empty() ? Json() : paper_result(row.spec.experiment, row.paper));
    const Plan todo = plan(suite, a.out, side_by_side, budget);
    fmt::print("{}: {}\n", suite.name, told(todo));
    std::fflush(stdout);
    if (a.dry) continue;
    run_jobs(todo.jobs, side_by_side);
    Json result = suite_result(suite, todo);
    for (std::size_t r = 0; r < paper.size(); ++r)
      if (!paper[r].is_null()) result["rows"][r]["paper"] = paper[r];
    const auto path = a.out / files[i].filename();
    write_record(path, result);
    print_result(result);
    std::vector<std::filesystem::path> records;
    for (const Job& job : todo.jobs) records.push_back(job.folder / "record.json");
    const auto report = a.out / (suite.name + ".html");
    write_report(records, report);
    fmt::print("result: {}\nreport: {}\n\n", path.string(), report.string());
  }
}

}  // namespace

void add_reproduce(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "reproduce",
      "Run what is behind a table or figure of the paper, and show both beside each other");
  auto a = std::make_shared<Arguments>();
  command
      ->add_option("what", a->what,
                   "table1, fig-toy, fig-entropy, fig-inducing, fig-accuracy, fig-ablation, "
                   "fig-re-var-gp, fig-deep-kernel, fig-varying-m, table-search, or all")
      ->required();
  command
      ->add_option("--budget", a->budget,
                   "Minutes that it may take: seeds are cut first, then epochs; 0: no limit")
      ->capture_default_str();
  command->add_option("--jobs", a->jobs, "Runs side by side; 0: one for every core")
      ->capture_default_str();
  command
      ->add_option("--out", a->out,
                   "Folder of the records. What is there is not run again, and a run that was "
                   "stopped goes on")
      ->capture_default_str();
  command->add_option("--suites", a->suites, "Folder of the suites; experiments/ if not given");
  command->add_flag("--dry-run", a->dry, "Only tell what would be run and how long it would take");
  command->callback([a] { reproduce(*a); });
}

}  // namespace vargp
