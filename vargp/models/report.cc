#include "vargp/models/report.h"

#include <fmt/format.h>

#include <cmath>

namespace vargp {

std::string LearnReport::brief() const {
  std::string text = fmt::format("task {}: {} rows, {} inducing points, bound {:.4g}", task, rows,
                                 inducing, bound);
  if (std::isfinite(validation)) text += fmt::format(", validation {:.4g}", validation);
  if (epochs > 0) text += fmt::format(", {} epochs", epochs);
  return text + fmt::format(", {:.2f} s", seconds);
}

}  // namespace vargp
