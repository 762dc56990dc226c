// A value in a record together with its place in it, so that what is wrong can be named:
//
//   runs/demo/record.json: runs/0/accuracy_matrix/2/1 is "x", expected a number in [0, 1]
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "vargp/io/record.h"

namespace vargp {

using Table = std::vector<std::vector<double>>;

// A view: the JSON it looks into must outlive it.
class Field {
 public:
  Field(const Json& value, std::string file) : value_(&value), file_(std::move(file)) {}

  const Json& json() const { return *value_; }
  Field at(const std::string& key) const;  // an error if it is missing
  std::optional<Field> find(const std::string& key) const;
  std::vector<Field> items() const;

  std::string text() const;
  double number(double low = -std::numeric_limits<double>::infinity(),
                double high = std::numeric_limits<double>::infinity()) const;
  std::vector<double> numbers(double low = -std::numeric_limits<double>::infinity(),
                              double high = std::numeric_limits<double>::infinity()) const;
  Table table(double low, double high) const;

  [[noreturn]] void expected(const std::string& what) const;

 private:
  const Json* value_;
  std::string file_, place_;
};

}  // namespace vargp
