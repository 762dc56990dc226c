#include "vargp/report/figures.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "vargp/report/figure_parts.h"

namespace vargp {

std::string experiment_title(const std::string& experiment) {
  static const std::map<std::string, std::string> known = {
      {"toy", "Toy data"},
      {"split-mnist", "Split MNIST"},
      {"permuted-mnist", "Permuted MNIST"},
      {"split-fashion-mnist", "Split Fashion-MNIST"},
      {"permuted-fashion-mnist", "Permuted Fashion-MNIST"}};
  const auto found = known.find(experiment);
  return found == known.end() ? experiment : found->second;
}

std::string percent(const Spread& share) {
  return share.count > 1 ? fmt::format("{:.2f} ± {:.2f} %", 100 * share.mean, 100 * share.deviation)
                         : fmt::format("{:.2f} %", 100 * share.mean);
}

std::string seconds_text(double seconds) {
  if (seconds < 0.1) return fmt::format("{:.0f} ms", std::ceil(1e3 * seconds));
  if (seconds < 1) return fmt::format("{:.2f} s", seconds);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string bytes_text(double bytes) {
  if (bytes < 1e4) return fmt::format("{:.1f} kB", bytes / 1e3);
  if (bytes < 1e6) return fmt::format("{:.0f} kB", bytes / 1e3);
  return bytes < 1e7 ? fmt::format("{:.1f} MB", bytes / 1e6)
                     : fmt::format("{:.0f} MB", bytes / 1e6);
}

std::vector<Json> figures(const std::vector<Series>& all) {
  std::vector<Json> out;
  for (const auto part :
       {accuracy_figures, matrix_figures, picture_figures, certainty_figures, learning_figures})
    for (Json& figure : part(all))
      if (!figure.is_null()) out.push_back(std::move(figure));
  return out;
}

}  // namespace vargp
