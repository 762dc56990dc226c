// A report on run records: what was learned, what was forgotten, what the model does not know.
//
// One content, two forms: a page of HTML that is a single file and needs nothing from elsewhere,
// and lines for the terminal with the same facts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vargp/report/series.h"

namespace vargp {

// title; and for every experiment a section: title, summary (what a
// sentence speaks of, and what it says), results (a table), figures
// (figures.h), settings and environment (tables). A table has columns and rows of text.
Json report(const std::vector<Series>& series);

// With a stamp the page is one that is served: it asks its server for the stamp of now, and loads
// itself again when that is another.
std::string report_page(const Json& report, const std::string& stamp = "");

// What is served until there is a record, or while one cannot be shown.
std::string waiting_page(const std::string& reason);

std::string report_text(const Json& report);

// The page about the records below these paths (see find_records), as a file.
void write_report(const std::vector<std::filesystem::path>& records,
                  const std::filesystem::path& file);

}  // namespace vargp
