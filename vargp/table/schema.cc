#include "vargp/table/schema.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "vargp/core/error.h"
#include "vargp/io/text.h"

namespace vargp {
namespace {

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Which column of the data each of the schema's is.
std::vector<Index> matched(const Schema& schema, Index columns, std::span<const std::string> names,
                           const std::string& what) {
  const Index count = std::ssize(schema.columns);
  std::vector<Index> out(schema.columns.size());
  if (!schema.named || unnamed(names)) {
    require(columns == count, "{} has {} columns, the model was learned with {}", what, columns,
            count);
    for (Index j = 0; j < count; ++j) out[static_cast<std::size_t>(j)] = j;
    return out;
  }
  VARGP_CHECK(std::ssize(names) == columns);
  std::vector<std::string> lacks, extra;
  for (std::size_t j = 0; j < out.size(); ++j) {
    const auto found = std::find(names.begin(), names.end(), schema.columns[j].name);
    if (found == names.end()) lacks.push_back(schema.columns[j].name);
    out[j] = found - names.begin();
  }
  for (const std::string& name : names)
    if (std::none_of(schema.columns.begin(), schema.columns.end(),
                     [&](const Column& c) { return c.name == name; }))
      extra.push_back(name);
  require(lacks.empty() && extra.empty(),
          "{} has other columns than the model was learned with{}{}", what,
          lacks.empty() ? "" : "; missing: " + listed(lacks),
          extra.empty() ? "" : "; unknown: " + listed(extra));
  return out;
}

}  // namespace

std::vector<std::string> Schema::names() const {
  std::vector<std::string> out;
  for (const Column& c : columns) out.push_back(c.name);
  return out;
}

Index Schema::D() const {
  Index out = 0;
  for (const Column& c : columns) out += c.width();
  return out;
}

std::vector<std::string> Schema::inputs() const {
  std::vector<std::string> out;
  for (const Column& c : columns) {
    if (!c.categorical) out.push_back(c.name);
    for (const std::string& level : c.levels) out.push_back(c.name + "=" + level);
  }
  return out;
}

double Schema::input(const Column& column, double value) const {
  const double x = std::isnan(value) ? column.mean : value;
  return standardise ? (x - column.mean) / column.deviation : x;
}

RowMat<double> Schema::encode(const Points& X, std::span<const std::string> names,
                              const std::string& what) const {
  for (const Column& c : columns)
    require(!c.categorical, "{}: column {} has levels ({}), expected a table with text in it", what,
            c.name, listed(c.levels));
  const std::vector<Index> from = matched(*this, X.cols(), names, what);
  RowMat<double> out = X.as<double>();
  if (!std::is_sorted(from.begin(), from.end())) out = out(Eigen::all, from).eval();
  Index missing_count = 0, row = 0, column = 0;
  for (Index i = out.rows() - 1; i >= 0; --i)
    for (Index j = out.cols() - 1; j >= 0; --j)
      if (std::isnan(out(i, j))) ++missing_count, row = i, column = j;
  require(missing_count == 0 || missing == Missing::kMean,
          "{} has {} missing values (NaN), the first in row {} (counted from 0), column {}; "
          "missing = mean would put the column's mean in their place",
          what, missing_count, row, columns[static_cast<std::size_t>(column)].name);
  for (Index j = 0; j < out.cols(); ++j) {
    const Column& c = columns[static_cast<std::size_t>(j)];
    for (double& x : out.col(j)) x = input(c, x);
  }
  return out;
}

RowMat<double> Schema::decode(const Eigen::MatrixXd& Z) const {
  RowMat<double> out = Z;
  Index at = 0;
  for (const Column& c : columns) {
    if (!c.categorical && standardise)
      out.col(at) = (out.col(at).array() * c.deviation + c.mean).matrix();
    at += c.width();
  }
  return out;
}

std::vector<Column> numeric_columns(const Points& X, std::span<const std::string> names,
                                    bool standardise) {
  const RowMat<double> rows = X.as<double>();
  std::vector<Column> out;
  for (Index j = 0; j < rows.cols(); ++j) {
    Column c;
    c.name = names.empty() ? fmt::format("x{}", j) : names[static_cast<std::size_t>(j)];
    double count = 0, sum = 0, squares = 0;
    for (const double x : rows.col(j))
      if (!std::isnan(x)) ++count, sum += x;
    c.mean = count > 0 ? sum / count : 0;
    for (const double x : rows.col(j))
      if (!std::isnan(x)) squares += (x - c.mean) * (x - c.mean);
    if (standardise && count > 0)
      c.deviation = usable_deviation(std::sqrt(squares / count), c.mean);
    out.push_back(std::move(c));
  }
  return out;
}

double usable_deviation(double deviation, double mean) {
  return deviation > 1e-12 * std::abs(mean) && std::isfinite(deviation) ? deviation : 1;
}

bool unnamed(std::span<const std::string> names) {
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j] != fmt::format("x{}", j)) return false;
  return true;
}

void sort_names(std::vector<std::string>& names) {
  const bool numbers = std::all_of(names.begin(), names.end(),
                                   [](const auto& n) { return number_in(n).has_value(); });
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    if (!numbers) return a < b;
    return std::pair(*number_in(a), a) < std::pair(*number_in(b), b);
  });
}

nlohmann::ordered_json to_json(const Schema& s) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (const Column& c : s.columns) {
    if (c.categorical)
      columns.push_back({{"name", c.name}, {"levels", c.levels}});
    else
      columns.push_back({{"name", c.name}, {"mean", c.mean}, {"deviation", c.deviation}});
  }
  return {{"columns", columns},
          {"named", s.named},
          {"ignored", s.ignored},
          {"label", s.label},
          {"regression", s.regression},
          {"grows", s.grows},
          {"classes", s.classes},
          {"standardise", s.standardise},
          {"missing", s.missing == Missing::kMean ? "mean" : "error"},
          {"unseen", s.unseen == Unseen::kIgnore ? "ignore" : "error"},
          {"image", {s.image_rows, s.image_cols}}};
}

Schema schema_from(const nlohmann::json& json) {
  Schema s;
  for (const auto& item : json.at("columns")) {
    Column c;
    item.at("name").get_to(c.name);
    c.categorical = item.contains("levels");
    if (c.categorical) {
      item.at("levels").get_to(c.levels);
    } else {
      item.at("mean").get_to(c.mean);
      item.at("deviation").get_to(c.deviation);
      require(std::isfinite(c.mean) && std::isfinite(c.deviation) && c.deviation > 0,
              "column {} has mean {} and deviation {}", c.name, c.mean, c.deviation);
    }
    s.columns.push_back(std::move(c));
  }
  json.at("named").get_to(s.named);
  json.at("ignored").get_to(s.ignored);
  json.at("label").get_to(s.label);
  json.at("regression").get_to(s.regression);
  json.at("grows").get_to(s.grows);
  json.at("classes").get_to(s.classes);
  json.at("standardise").get_to(s.standardise);
  const auto missing = json.at("missing").get<std::string>();
  const auto unseen = json.at("unseen").get<std::string>();
  require(missing == "mean" || missing == "error", "missing is {}", missing);
  require(unseen == "ignore" || unseen == "error", "unseen is {}", unseen);
  if (missing == "mean") s.missing = Missing::kMean;
  if (unseen == "ignore") s.unseen = Unseen::kIgnore;
  s.image_rows = count_from(json.at("image").at(0));
  s.image_cols = count_from(json.at("image").at(1));
  return s;
}

Index count_from(const nlohmann::json& json) {
  constexpr Index kMost = Index{1} << 48;
  const Index count = json.is_number_integer() ? json.get<Index>() : -1;
  require(count >= 0 && count <= kMost, "{} is no count", json.dump());
  return count;
}

}  // namespace vargp
