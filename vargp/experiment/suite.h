// Suites: the runs behind one table or figure, as data (files in experiments/).
//
//   {
//     "title": "Table 1 ...",           what it is
//     "shows": "accuracy",              which figures its result has
//     "seeds": 5,
//     "rows": [
//       {"name": "VAR-GP", "experiment": "split-mnist", "model": "var-gp", "preset": "default",
//        "settings": {"inducing": 60}, "tasks": 10, "seeds": 2, "minutes": 2.5,
//        "paper": "VAR-GP"}
//     ]
//   }
//
// settings, regime (continual, joint, fine-tune), tasks, seeds (of a row) and paper (its name for
// the method, if it has a number) may be left out. minutes is what one seed takes on one core,
// until a record tells better. A run's record stands in a folder named by all that its numbers
// depend on, so suites share runs, and a run that is there is not run again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vargp/experiment/series.h"

namespace vargp {

struct SuiteRow {
  std::string name;
  RunSpec spec;  // with all seeds that the suite asks for
  double minutes = 1;
  std::string paper;  // empty: it has no such number
};

struct Suite {
  std::string name, title, shows;
  std::vector<SuiteRow> rows;
};

Suite read_suite(const std::filesystem::path& file);

// Where the one seed of this spec has its folder, below `root`.
std::filesystem::path folder_of(const std::filesystem::path& root, const RunSpec& spec);

struct Job {
  std::string name;
  std::size_t row = 0;
  RunSpec spec;  // of one seed
  std::filesystem::path folder;
  double minutes = 0;
  bool done = false;  // its record is there
};

// What is to be done, in the order of the suite, seeds outermost: when it is stopped, every row has
// about as many.
struct Plan {
  std::vector<Job> jobs;
  double minutes = 0;  // for what is not done, with `side_by_side` jobs at a time
  std::string cut;     // what was cut to fit the budget, for people; empty: nothing
};

// budget in minutes; 0: none. Seeds are cut first, down to one, then epochs.
Plan plan(const Suite& suite, const std::filesystem::path& root, int side_by_side, double budget);

// What the records that are there say: for every row the seeds, mean and standard deviation of the
// figures that the suite shows, and the paper's name for the method beside them.
Json suite_result(const Suite& suite, const Plan& plan);

}  // namespace vargp
