#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/model_page.h"
#include "cli/show.h"
#include "cli/table_arguments.h"
#include "cli/table_json.h"
#include "vargp/core/error.h"
#include "vargp/io/atomic_file.h"
#include "vargp/io/file_lock.h"
#include "vargp/models/settings.h"
#include "vargp/table/table_task.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStopped = "vargp: stopped; the model is as it was before\n";

struct Arguments {
  fs::path model, report;
  std::vector<fs::path> data;
  TableTaskOptions task;
  TableModelOptions made;  // what a new model is made with
  std::string preset = "default";
  std::vector<std::pair<std::string, std::string>> changed;  // settings named on the command line
  std::vector<std::string> first_only;  // options that were given and are for a new model
  int threads = 0;
  bool json = false;
};

// A line that renews itself on a terminal: how far reading and learning have come.
class Line {
 public:
  explicit Line(bool shown) : shown_(shown && isatty(STDERR_FILENO) != 0) {}
  ~Line() { say(""); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  void say(const std::string& text) {
    if (!shown_ || (text.empty() && width_ == 0)) return;
    fmt::print(stderr, "\r{:<{}}{}", text, width_, text.empty() ? "\r" : "");
    width_ = text.size();
    std::fflush(stderr);
  }

 private:
  bool shown_;
  std::size_t width_ = 0;
};

TableModel open_model(const Arguments& a) {
  if (!fs::exists(a.model)) {
    TableModelOptions options = a.made;
    use_preset(options, a.preset);
    // Pixels are all of one kind, and in the corners of pictures the first task says nothing of
    // them.
    if (fs::is_regular_file(a.data[0]) && open_table(a.data[0], a.task.table)->image_rows() > 0)
      options.ard = false;
    for (const auto& [name, value] : a.changed) set(options, name, value);
    options.threads = a.threads;
    options.validate();
    return TableModel(options);
  }
  require(a.first_only.empty(),
          "{}: is for a new model, and {} is there already; what it was made with stays (vargp "
          "inspect shows it)",
          fmt::join(a.first_only, ", "), a.model.string());
  TableModel model = TableModel::load(a.model, a.threads);
  require(a.task.label.empty() || a.task.label == model.schema().label,
          "--label {}: the label of {} is {}", a.task.label, a.model.string(),
          model.schema().label);
  return model;
}

// "benign 803, malignant 401"
std::string rows_by_class(const TableModel& model, const TaskRecord& record) {
  std::string out;
  std::size_t shown = 0, more = 0;
  for (std::size_t k = 0; k < record.class_rows.size(); ++k) {
    if (record.class_rows[k] == 0) continue;
    if (++shown > 10)
      ++more;
    else
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", model.classes()[k],
                         grouped(record.class_rows[k]));
  }
  if (more > 0) out += fmt::format(" and {} more classes", more);
  return out;
}

void print(const Arguments& a, const TableModel& model, const TableReport& r) {
  const TaskRecord& t = r.record;
  fmt::print("{}: learned task {} from {}\n", a.model.string(), r.task, t.source);
  const auto line = [](const char* name, const std::string& text) {
    fmt::print("  {:<11} {}\n", name, text);
  };
  line("rows", grouped(t.rows) + (model.regression() ? "" : " (" + rows_by_class(model, t) + ")"));
  if (!model.regression())
    line("classes", fmt::format("{}{}", model.classes().size(),
                                r.new_classes.empty() ? ", none of them new"
                                                      : ", new: " + listed(r.new_classes)));
  line("bound",
       fmt::format("{:.6g}, {:.3g} for each row", t.bound, t.bound / static_cast<double>(t.rows)));
  if (t.validation)
    line("validation", model.regression()
                           ? fmt::format("root mean squared error {:.4g}", *t.validation)
                           : fmt::format("{:.2f} % right", 100 * *t.validation));
  line("inducing", fmt::format("{} points, {} of all tasks", grouped(t.inducing), grouped(r.n)));
  line("state", size_of_bytes(r.state_bytes));
  line("time", duration(t.seconds));
  if (r.task > 1) {
    fmt::print("\nHow far the tasks before have moved, at their own inducing points:\n");
    fmt::print("{}", moved_table(model, r.moved));
  }
}

void learn_command(const Arguments& a) {
  const Interrupt interrupt(kStopped);
  const FileLock lock(a.model);
  remove_leftovers(a.model);
  ModelPage page(a.report);
  TableModel model = open_model(a);
  Line line(!a.json);
  const auto check = [&] {
    if (interrupt.requested()) throw Interrupted{kStopped};
  };
  TableTaskOptions options = a.task;
  options.read = [&](Index rows) {
    check();
    line.say(fmt::format("{} rows read", grouped(rows)));
  };
  const EncodedTask task = read_task(model, a.data, options);
  line.say("learning");
  TaskInfo info;
  for (const fs::path& path : a.data)
    info.source += (info.source.empty() ? "" : ", ") + path.filename().string();
  info.hooks.step = [&](const auto&) { check(); };
  const TableReport report = model.learn(task, info);
  check();
  model.save(a.model);
  line.say("");
  if (a.json)
    fmt::print("{}", record_text(to_json(model, report)));
  else
    print(a, model, report);
  // Last: whatever happens to the page, it has been said that the task is learned.
  page.write(a.model, model);
  if (!a.report.empty() && !a.json) fmt::print("\nreport: {}\n", a.report.string());
}

}  // namespace

void add_learn(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "learn", "Learn from your own data: makes MODEL, or teaches it one task more");
  auto a = std::make_shared<Arguments>();
  command->add_option("MODEL", a->model, "The model file; made if it is not there")
      ->required()
      ->type_name("");
  command
      ->add_option("DATA", a->data,
                   std::string("The task's rows, in one file or several: ") + kFormats)
      ->required()
      ->type_name("");
  command->add_option("--threads", a->threads, "Threads; 0: all cores")->capture_default_str();
  add_page_option(*command, a->report);
  command->add_flag("--json", a->json, "What was learned as JSON");
  add_names(*command, "--ignore", a->task.ignored, "Columns that are not read");
  add_table_options(*command, a->task.table);

  const char *group = "For a new model", *overrides = "Settings that override the preset";
  const auto first = [group](CLI::Option* option) { option->group(group); };
  command
      ->add_option("--label", a->task.label,
                   "The column with the labels, or with the numbers of a regression; \"label\" or "
                   "\"y\" if not given")
      ->type_name("COLUMN")
      ->group(group);
  first(add_names(*command, "--features", a->task.features,
                  "Columns to learn from; all others if not given"));
  first(add_names(*command, "--categorical", a->task.categorical,
                  "Columns of categories, though they look like numbers"));
  first(add_names(*command, "--classes", a->made.classes,
                  "All classes there will ever be; they grow if not given"));
  first(command->add_flag("--regression", a->made.regression, "The label is a number"));
  first(command->add_option("--preset", a->preset, "quick, default or best")
            ->check(CLI::IsMember({"quick", "default", "best"}))
            ->capture_default_str());
  first(command
            ->add_option("--validation", a->made.validation,
                         "Share of the rows (of a sample, if there are many) that is held out to "
                         "validate and calibrate with, and then learned too")
            ->type_name("FRACTION")
            ->capture_default_str());
  first(command
            ->add_option_function<std::string>(
                "--missing",
                [a](const std::string& word) {
                  a->made.missing = word == "mean" ? Missing::kMean : Missing::kError;
                },
                "Missing values: error, or mean (of the first task's column)")
            ->check(CLI::IsMember({"error", "mean"}))
            ->default_str("error"));
  first(command
            ->add_option_function<std::string>(
                "--unseen",
                [a](const std::string& word) {
                  a->made.unseen = word == "ignore" ? Unseen::kIgnore : Unseen::kError;
                },
                "Categories that the first task did not have: error, or ignore")
            ->check(CLI::IsMember({"error", "ignore"}))
            ->default_str("error"));
  first(command->add_flag_callback(
      "--raw", [a] { a->made.standardise = false; }, "Columns are not standardised"));
  for (const Setting& s : settings())
    command
        ->add_option_function<std::string>(
            "--" + s.name,
            [a, name = s.name](const std::string& value) { a->changed.emplace_back(name, value); },
            s.help)
        ->group(overrides);
  command->callback([a, command, group, overrides] {
    for (const CLI::Option* option : command->get_options())
      if (option->count() > 0 && option->get_name() != "--label" &&
          (option->get_group() == group || option->get_group() == overrides))
        a->first_only.push_back(option->get_name());
    learn_command(*a);
  });
}

}  // namespace vargp
