// A task from files, however large: what the model is given to learn.
//
// The first pass over the files looks at every row: it counts, finds classes, levels, means and
// deviations, and whatever is wrong; and it draws a sample of the rows (each row as likely as any
// other, decided by the seed), of which some are held out for validation. k-means, theta, the noise
// and validation go by the sample. Then the closed form of the coupled model takes in all rows
// chunk by chunk in a second pass. So memory follows the sample and the model, not the files.
//
// Files that are smaller than the sample are read once, and so is what cannot be read twice, or is
// for a model that needs its rows at random: these stay in memory whole.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "vargp/data/table.h"
#include "vargp/table/table_model.h"

namespace vargp {

// Which columns of the files are what. A model that has learned before knows all of this.
struct TableTaskOptions {
  TableOptions table;
  std::string label;                  // empty: "label", or "y", if there is such a column
  std::vector<std::string> features;  // empty: all but the label and the ignored
  std::vector<std::string> ignored;
  std::vector<std::string> categorical;  // levels, though they look like numbers
  Index sample = 20000;                  // rows, at most
  std::function<void(Index rows)>
      read;  // told now and then how many rows have been read; may throw
};

// The next task of the model. The passes that it holds read the files again.
EncodedTask read_task(const TableModel& model, const std::vector<std::filesystem::path>& paths,
                      const TableTaskOptions& options);

}  // namespace vargp
