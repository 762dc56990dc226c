#include "cli/table_arguments.h"

#include "vargp/core/error.h"

namespace vargp {

const char* const kFormats = "CSV, NPY, NPZ or IDX, plain or gzip; - is standard input";

void add_table_options(CLI::App& command, TableOptions& options) {
  const char* group = "How files are read";
  command
      .add_option_function<std::string>(
          "--delimiter",
          [&](const std::string& text) {
            const std::string mark = text == "tab" || text == "\\t" ? "\t" : text;
            require(mark.size() == 1, "--delimiter {}: must be one character, or tab", text);
            options.delimiter = mark[0];
          },
          "Between the cells of a CSV file; found if not given")
      ->group(group);
  command
      .add_flag_function(
          "--header,!--no-header", [&](std::int64_t n) { options.header = n > 0; },
          "The first line of a CSV file has the names of the columns; found if not given")
      ->group(group);
  command.add_option("--arrays", options.arrays, "Arrays of an NPZ file to read, in this order")
      ->delimiter(',')
      ->group(group);
  command
      .add_option("--labels", options.labels,
                  "IDX file with the labels of IDX pictures; the one beside them if not given")
      ->group(group);
}

CLI::Option* add_names(CLI::App& command, const std::string& name, std::vector<std::string>& names,
                       const std::string& help) {
  return command.add_option(name, names, help)->delimiter(',')->type_name("NAME,..");
}

}  // namespace vargp
