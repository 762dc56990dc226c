#include "vargp/report/figures.h"

#include <fmt/format.h>

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

std::vector<Json> figures(const std::vector<Series>& all) {
  std::vector<Json> out;
  for (const auto part :
       {accuracy_figures, matrix_figures, picture_figures, certainty_figures, learning_figures})
    for (Json& figure : part(all))
      if (!figure.is_null()) out.push_back(std::move(figure));
  return out;
}

}  // namespace vargp
