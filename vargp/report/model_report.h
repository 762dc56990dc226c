// A report on a model of somebody's own data, from what `vargp inspect --json` says of it: the same
// page as about runs (report.h), with other figures. Of the inducing points, which may tell of rows
// (docs/privacy.md), it shows a few of each task.
#pragma once

#include "vargp/report/learned_model.h"

namespace vargp {

// The content of the page, as report.h has it; name: the model's.
Json model_report(const std::string& name, const Json& inspected);

// Its figures, as figures.h has them; `settings` say what the inducing points are.
std::vector<Json> model_figures(const LearnedModel& model, const Json& settings);

}  // namespace vargp
