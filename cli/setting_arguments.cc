#include "cli/setting_arguments.h"

#include "vargp/models/settings.h"

namespace vargp {

void add_setting_options(CLI::App& command, RunSpec& spec) {
  const auto add = [&](const std::vector<Setting>& table, const char* group) {
    for (const Setting& s : table) {
      if (command.get_option_no_throw("--" + s.name))
        continue;  // seed and model, or in both tables
      command
          .add_option_function<std::string>(
              "--" + s.name,
              [&spec, name = s.name](const std::string& value) {
                spec.changed.emplace_back(name, value);
              },
              s.help)
          ->group(group);
    }
  };
  add(settings(), "Settings that override the preset");
  add(baseline_settings(), "Settings of the baselines that override the preset");
  command
      .add_flag_callback(
          "--per-class", [&spec] { spec.changed.emplace_back("shared", "false"); },
          "Inducing inputs for each class: the same as --shared false")
      ->group("Settings that override the preset");
}

}  // namespace vargp
