// The search for good settings: successive halving (Jamieson and Talwalkar 2016). Many trials run
// for few epochs, the better half of them for twice as many, and so on; what counts is the accuracy
// over all tasks at the end, on validation data. Trials are drawn from a seed, and each run has its
// folder as in a suite (experiment/suite.h): a search that was stopped goes on where it was.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vargp/experiment/suite.h"

namespace vargp {

// Values of one setting: uniform in [low, high], or uniform in the logarithm.
struct Range {
  std::string setting;
  double low = 0, high = 1;
  bool log = false, whole = false;
};

// The paper's: learning rate, M and beta; and what our presets set besides; for a baseline, what it
// stands or falls with. Left out is what has no effect (a learning rate where nothing is learned by
// gradients) and what base.changed sets.
std::vector<Range> search_space(const RunSpec& base);

struct Search {
  RunSpec base;
  std::vector<Range> space;
  int trials = 16;
  int rungs = 3;  // the last has all epochs of the preset
  std::uint64_t seed = 1;
};

// The settings of trial i: the preset's own for i = 0, then random ones.
std::vector<std::pair<std::string, Json>> trial(const Search& search, int i);

// Epochs of a rung: E / 2^(rungs - 1 - rung), one at least.
Index epochs_of(const Search& search, int rung);

// The runs of these trials on a rung. Job::row is the number of the trial.
std::vector<Job> rung_jobs(const Search& search, const std::filesystem::path& root,
                           const std::vector<int>& trials, int rung);

// Trials whose records are there, best first, with their accuracies.
std::vector<std::pair<int, double>> ranking(const std::vector<Job>& jobs);

// A suite file whose "shows" is search: experiment, model, preset, settings, trials, rungs, the
// space, and the minutes that a trial with all epochs takes on one core.
struct SearchSuite {
  std::string title;
  Search search;
  double minutes = 1;
  Json paper;  // its settings, by name
};
bool is_search(const std::filesystem::path& file);
SearchSuite read_search(const std::filesystem::path& file);

// For all rungs, on one core.
double minutes_of(const SearchSuite& suite);

}  // namespace vargp
