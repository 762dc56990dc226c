// What the paper reports, to compare with: its Table 1, from paper.json beside this file.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace vargp {

struct PaperResult {
  std::string method, model;  // model: our name for it; empty where there is none
  double mean = 0;            // accuracy in percent
  std::optional<double> deviation;
};

// Empty where the paper has no number for this experiment with that many tasks.
std::vector<PaperResult> paper_results(const std::string& experiment, int tasks);

}  // namespace vargp
