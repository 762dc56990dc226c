#include "cli/model_page.h"

#include "cli/table_json.h"
#include "vargp/core/error.h"
#include "vargp/report/model_report.h"
#include "vargp/report/report.h"

namespace vargp {

void add_page_option(CLI::App& command, std::filesystem::path& page) {
  command
      .add_option("--report", page,
                  "Write an HTML page about the model: what it has learned, what has moved since, "
                  "which inputs matter")
      ->type_name("FILE.html");
}

ModelPage::ModelPage(const std::filesystem::path& path) {
  if (path.empty()) return;
  // So that no model or data is overwritten by a word in the wrong place.
  require(path.extension() == ".html", "--report {}: a report is written to a file .html",
          path.string());
  page_.emplace(path);
}

void ModelPage::write(const std::filesystem::path& file, const TableModel& model) {
  if (!page_) return;
  page_->write(report_page(model_report(file.filename().string(), to_json(model))));
  page_->commit();
}

}  // namespace vargp
