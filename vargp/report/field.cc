#include "vargp/report/field.h"

#include <fmt/format.h>

#include <cmath>

#include "vargp/core/error.h"

namespace vargp {

Field Field::at(const std::string& key) const {
  if (auto found = find(key)) return *found;
  fail("{}: {}{} is missing", file_, place_.empty() ? "" : place_ + "/", key);
}

std::optional<Field> Field::find(const std::string& key) const {
  if (!value_->is_object()) expected("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  Field out(*found, file_);
  out.place_ = place_.empty() ? key : place_ + "/" + key;
  return out;
}

std::vector<Field> Field::items() const {
  if (!value_->is_array()) expected("a list");
  std::vector<Field> out;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    Field item((*value_)[i], file_);
    item.place_ = fmt::format("{}/{}", place_, i);
    out.push_back(std::move(item));
  }
  return out;
}

std::string Field::text() const {
  if (!value_->is_string()) expected("a text");
  return value_->get<std::string>();
}

double Field::number(double low, double high) const {
  const bool bounded = std::isfinite(low) || std::isfinite(high);
  const auto range = [&] {
    return !bounded           ? std::string("a number")
           : std::isinf(high) ? fmt::format("a number not below {:g}", low)
                              : fmt::format("a number in [{:g}, {:g}]", low, high);
  };
  if (!value_->is_number()) expected(range());
  const auto number = value_->get<double>();
  if (number < low || number > high) expected(range());
  return number;
}

std::vector<double> Field::numbers(double low, double high) const {
  std::vector<double> out;
  for (const Field& item : items()) out.push_back(item.number(low, high));
  return out;
}

Table Field::table(double low, double high) const {
  Table out;
  for (const Field& row : items()) {
    out.push_back(row.numbers(low, high));
    if (out.back().size() != out.front().size())
      row.expected(fmt::format("a row of {} numbers like the first", out.front().size()));
  }
  return out;
}

void Field::expected(const std::string& what) const {
  constexpr std::size_t kShown = 60;
  std::string value = value_->dump(-1, ' ', false, Json::error_handler_t::replace);
  if (value.size() > kShown) value = value.substr(0, kShown) + "...";
  fail("{}: {} is {}, expected {}", file_, place_.empty() ? "the record" : place_, value, what);
}

}  // namespace vargp
