#include "vargp/eval/accuracy_matrix.h"

#include <utility>

#include "vargp/core/error.h"

namespace vargp {

AccuracyMatrix::AccuracyMatrix(std::vector<Index> counts, std::vector<double> initial)
    : counts_(std::move(counts)), initial_(std::move(initial)) {
  if (initial_.empty()) initial_.assign(counts_.size(), 0);
  require(!counts_.empty(), "accuracy matrix: no task");
  require(initial_.size() == counts_.size(),
          "accuracy matrix: {} accuracies before learning, expected {}, one for each task",
          initial_.size(), counts_.size());
  for (Index j = 0; j < tasks(); ++j)
    require(counts_[static_cast<std::size_t>(j)] > 0,
            "accuracy matrix: task {} has {} test points, expected 1 or more", j,
            counts_[static_cast<std::size_t>(j)]);
}

void AccuracyMatrix::add_row(std::span<const double> accuracies) {
  require(std::ssize(accuracies) == tasks(),
          "accuracy matrix: {} accuracies, expected {}, one for each task", accuracies.size(),
          tasks());
  require(learned() < tasks(), "accuracy matrix: all {} tasks are learned already", tasks());
  for (const double a : accuracies)
    require(a >= 0 && a <= 1, "accuracy matrix: accuracy {}, expected 0 to 1", a);
  rows_.emplace_back(accuracies.begin(), accuracies.end());
}

double AccuracyMatrix::operator()(Index i, Index j) const {
  VARGP_CHECK(i >= 0 && i < learned() && j >= 0 && j < tasks());
  return rows_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
}

Index AccuracyMatrix::last() const {
  VARGP_CHECK(learned() > 0);
  return learned() - 1;
}

double AccuracyMatrix::final_accuracy() const {
  const Index t = last();
  double right = 0, all = 0;
  for (Index j = 0; j <= t; ++j) {
    const auto n = static_cast<double>(counts_[static_cast<std::size_t>(j)]);
    right += n * (*this)(t, j);
    all += n;
  }
  return right / all;
}

double AccuracyMatrix::mean_task_accuracy() const {
  const Index t = last();
  double sum = 0;
  for (Index j = 0; j <= t; ++j) sum += (*this)(t, j);
  return sum / static_cast<double>(t + 1);
}

double AccuracyMatrix::forgetting(Index j) const { return (*this)(j, j) - (*this)(last(), j); }

double AccuracyMatrix::forgetting() const {
  const Index t = last();
  if (t == 0) return 0;
  double sum = 0;
  for (Index j = 0; j < t; ++j) sum += forgetting(j);
  return sum / static_cast<double>(t);
}

double AccuracyMatrix::forward_transfer() const {
  const Index t = last();
  if (t == 0) return 0;
  double sum = 0;
  for (Index j = 1; j <= t; ++j) sum += (*this)(j - 1, j) - initial_[static_cast<std::size_t>(j)];
  return sum / static_cast<double>(t);
}

}  // namespace vargp
