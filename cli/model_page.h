// The page about a model that learn and inspect write with --report.
//
// Its file is opened before anything else happens: a path that cannot be written is refused while
// the model is as it was.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "vargp/io/atomic_file.h"
#include "vargp/table/table_model.h"

namespace vargp {

void add_page_option(CLI::App& command, std::filesystem::path& page);

class ModelPage {
 public:
  explicit ModelPage(const std::filesystem::path& path);  // empty: none is wanted
  void write(const std::filesystem::path& file, const TableModel& model);

 private:
  std::optional<AtomicFile> page_;
};

}  // namespace vargp
