// What the paper reports, to compare with: its Table 1, from paper.json beside this file, which is
// the only place of these numbers. Suites (experiments/) name them by their method.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vargp/io/record.h"

namespace vargp {

struct PaperResult {
  std::string method, model;  // model: our name for it
  Json settings;              // that it was run with, where the model alone does not tell
  double mean = 0;            // accuracy in percent
  std::optional<double> deviation;
};

// Whether the paper's result is of this model with these settings.
bool same_model(const PaperResult& result, const std::string& model, const Json& settings);

// Empty where the paper has no number for this experiment with that many tasks.
std::vector<PaperResult> paper_results(const std::string& experiment, int tasks);

// That of a method, as {"mean": 90.57, "deviation": 1.06}; an error where the paper has none.
Json paper_result(const std::string& experiment, const std::string& method);

}  // namespace vargp
