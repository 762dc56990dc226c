#include "vargp/table/table_columns.h"

#include <algorithm>
#include <cmath>

#include "vargp/core/error.h"
#include "vargp/io/text.h"

namespace vargp {
namespace {

constexpr double kLargest = 1e150;  // squares of larger numbers, as in deviations, are none

}  // namespace

TableColumns::TableColumns(const Schema& schema) : schema_(schema) {
  for (const Column& c : schema.columns) {
    auto& places = levels_.emplace_back();
    for (const std::string& level : c.levels) places.emplace(level, std::ssize(places));
  }
  for (const std::string& name : schema.classes)
    classes_.emplace(name, static_cast<int>(classes_.size()));
}

TableColumns::TableColumns(const Schema& schema, TableReader& reader, bool needs_label)
    : TableColumns(schema) {
  reader_ = &reader;
  const auto& names = reader.columns();
  const auto count = std::ssize(names);
  const auto find = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) - names.begin();
  };
  const auto ignored = [&](const std::string& name) {
    return std::find(schema.ignored.begin(), schema.ignored.end(), name) != schema.ignored.end();
  };
  const auto D = std::ssize(schema.columns);
  const bool by_order = !schema.named || unnamed(std::span(names).first(std::min(D, count)));
  Index label = find(schema.label);
  if (by_order && label == count && count == D + 1) label = D;
  has_label_ = label < count;
  std::vector<Index> file;  // where each of the schema's columns is in the file
  if (by_order) {
    for (Index k = 0; k < count && std::ssize(file) < D; ++k)
      if (k != label && !ignored(names[static_cast<std::size_t>(k)])) file.push_back(k);
    file.resize(schema.columns.size(), count);
  } else {
    for (const Column& c : schema.columns) file.push_back(find(c.name));
  }
  std::vector<std::string> lacks, extra;
  for (std::size_t j = 0; j < file.size(); ++j)
    if (file[j] == count) lacks.push_back(schema.columns[j].name);
  if (needs_label && !has_label_) lacks.push_back(schema.label);
  for (Index k = 0; k < count; ++k) {
    const std::string& name = names[static_cast<std::size_t>(k)];
    if (k != label && std::find(file.begin(), file.end(), k) == file.end() && !ignored(name))
      extra.push_back(name);
  }
  require(lacks.empty() && extra.empty(),
          "{}: has other columns than the model{}{}; the model has {} and the label {}",
          reader.name(), lacks.empty() ? "" : "; missing: " + listed(lacks),
          extra.empty() ? "" : "; unknown: " + listed(extra), listed(schema.names()), schema.label);

  std::vector<CellKind> kinds(names.size(), CellKind::kSkip);
  const auto kind = [&](Index k) -> CellKind& { return kinds[static_cast<std::size_t>(k)]; };
  for (std::size_t j = 0; j < file.size(); ++j)
    kind(file[j]) = schema.columns[j].categorical ? CellKind::kText : CellKind::kNumber;
  if (has_label_) kind(label) = schema.regression ? CellKind::kNumber : CellKind::kText;
  // A column's place among those of its kind, which come in the order of the file.
  const auto put = [&](Index k) {
    (kind(k) == CellKind::kNumber ? numbers_ : texts_)
        .push_back(std::count(kinds.begin(), kinds.begin() + k, kind(k)));
  };
  for (const Index k : file) put(k);
  if (has_label_) put(label);
  reader.want(std::move(kinds));
}

bool TableColumns::next(TableChunk& chunk, Index max_rows) {
  if (!reader_->next(chunk, max_rows)) return false;
  if (!std::is_sorted(numbers_.begin(), numbers_.end()))
    chunk.number = chunk.number(Eigen::all, numbers_).eval();
  if (!std::is_sorted(texts_.begin(), texts_.end())) {
    std::vector<std::vector<std::string>> text;
    for (const Index k : texts_) text.push_back(std::move(chunk.text[static_cast<std::size_t>(k)]));
    chunk.text = std::move(text);
  }
  check_sizes(chunk);
  return true;
}

void TableColumns::check_sizes(const TableChunk& chunk) const {
  if (!(chunk.number.array().abs() > kLargest).any()) return;
  std::vector<std::string> names;
  for (const Column& c : schema_.columns)
    if (!c.categorical) names.push_back(c.name);
  names.push_back(schema_.label);
  for (Index i = 0; i < chunk.rows; ++i)
    for (Index j = 0; j < chunk.number.cols(); ++j)
      require(!(std::abs(chunk.number(i, j)) > kLargest),
              "{}: {:g}, expected a number between -{:g} and {:g}",
              place(chunk, i, names[static_cast<std::size_t>(j)]), chunk.number(i, j), kLargest,
              kLargest);
}

std::string TableColumns::place(const TableChunk& chunk, Index row,
                                const std::string& column) const {
  const Index line = chunk.line[static_cast<std::size_t>(row)];
  return reader_ ? reader_->place(line, column) : fmt::format("row {}, column {}", line, column);
}

Index TableColumns::missing(const TableChunk& chunk, std::string& first) const {
  if (schema_.missing != Missing::kError) return 0;
  Index count = 0, first_row = chunk.rows, number = 0, text = 0;
  for (const Column& c : schema_.columns) {
    const Index at = c.categorical ? text++ : number++;
    for (Index i = 0; i < chunk.rows; ++i) {
      const bool is =
          c.categorical
              ? chunk.text[static_cast<std::size_t>(at)][static_cast<std::size_t>(i)].empty()
              : std::isnan(chunk.number(i, at));
      if (!is) continue;
      ++count;
      if (i < first_row) {
        first_row = i;
        first = place(chunk, i, c.name);
      }
    }
  }
  return count;
}

RowMat<double> TableColumns::encode(const TableChunk& chunk) const {
  std::string first;
  if (missing(chunk, first) > 0)
    fail("{}: the value is missing; a model that was made with --missing mean takes the mean",
         first);
  RowMat<double> X = RowMat<double>::Zero(chunk.rows, schema_.D());
  Index d = 0, number = 0, text = 0;
  for (std::size_t j = 0; j < schema_.columns.size(); ++j) {
    const Column& c = schema_.columns[j];
    if (!c.categorical) {
      for (Index i = 0; i < chunk.rows; ++i) X(i, d) = schema_.input(c, chunk.number(i, number));
      ++number;
    } else {
      const auto& cells = chunk.text[static_cast<std::size_t>(text++)];
      for (Index i = 0; i < chunk.rows; ++i) {
        const std::string& level = cells[static_cast<std::size_t>(i)];
        if (const auto found = levels_[j].find(level); found != levels_[j].end())
          X(i, d + found->second) = 1;
        else
          require(level.empty() || schema_.unseen == Unseen::kIgnore,
                  "{}: the value is \"{}\", expected one of the first task's: {}; a model that was "
                  "made with --unseen ignore takes it for none of them",
                  place(chunk, i, c.name), level, listed(c.levels));
      }
    }
    d += c.width();
  }
  return X;
}

std::vector<int> TableColumns::classes(const TableChunk& chunk) const {
  std::vector<int> y;
  y.reserve(static_cast<std::size_t>(chunk.rows));
  for (Index i = 0; i < chunk.rows; ++i) {
    const std::string& name = chunk.text.back()[static_cast<std::size_t>(i)];
    const auto found = classes_.find(name);
    if (found == classes_.end())
      fail("{}: the label {}, expected one of {}", place(chunk, i, schema_.label),
           name.empty() ? "is missing" : fmt::format("is \"{}\"", name), listed(schema_.classes));
    y.push_back(found->second);
  }
  return y;
}

Eigen::MatrixXd TableColumns::targets(const TableChunk& chunk) const {
  const Eigen::MatrixXd y = chunk.number.col(chunk.number.cols() - 1);
  for (Index i = 0; i < chunk.rows; ++i)
    require(!std::isnan(y(i)), "{}: the target is missing", place(chunk, i, schema_.label));
  return y;
}

}  // namespace vargp
