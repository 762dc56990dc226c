// The accuracy matrix, from which everything said about a run of tasks is derived.
//
//   R[i][j] is the accuracy on the test points of task j after learning task i; tasks not yet
//   learned (j > i) included. b[j] is the accuracy on task j before anything was learned.
//
// With t the last task learned so far, n_j test points in task j (definitions of forgetting, BWT
// and FWT: Avalanche's, Lopez-Paz and Ranzato 2017):
//
//   final_accuracy      sum_{j<=t} n_j R[t][j] / sum_{j<=t} n_j    all test points of tasks seen
//   mean_task_accuracy  mean over j <= t of R[t][j]
//   forgetting(j)       R[j][j] - R[t][j], for j < t
//   forgetting          mean over j < t of forgetting(j);   BWT = -forgetting
//   FWT                 mean over 0 < j <= t of R[j-1][j] - b[j]
//
// After one task nothing can be forgotten or transferred: these are 0 then, as in Avalanche.
//
// Values: R = [[0.9, 0.1], [0.7, 0.8]], b = [0.1, 0.05], n = [10, 30]: final_accuracy 0.775,
// mean_task_accuracy 0.75, forgetting 0.2, BWT -0.2, FWT 0.05.
#pragma once

#include <span>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

class AccuracyMatrix {
 public:
  // counts: test points of each task. initial: b, zeros where it is not known.
  explicit AccuracyMatrix(std::vector<Index> counts, std::vector<double> initial = {});

  // The accuracies on every task after one more has been learned.
  void add_row(std::span<const double> accuracies);

  Index tasks() const { return std::ssize(counts_); }
  Index learned() const { return std::ssize(rows_); }
  const std::vector<std::vector<double>>& rows() const { return rows_; }
  const std::vector<Index>& counts() const { return counts_; }
  const std::vector<double>& initial() const { return initial_; }
  double operator()(Index i, Index j) const;

  double final_accuracy() const;
  double mean_task_accuracy() const;
  double forgetting(Index j) const;
  double forgetting() const;
  double backward_transfer() const { return -forgetting(); }
  double forward_transfer() const;

 private:
  Index last() const;

  std::vector<Index> counts_;
  std::vector<double> initial_;
  std::vector<std::vector<double>> rows_;
};

}  // namespace vargp
