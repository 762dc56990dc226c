// How good predicted probabilities are. P is [N, C], rows sum to 1; y the classes that were right.
//
//   accuracy     share of rows whose largest probability is the right class's (the first, if tied)
//   nll          mean of -log p(right class). A probability of 0 counts as 2.2e-16, so 36.04: one
//                row cannot make the mean infinite
//   probability  mean of p(right class)
//   calibration  rows in 15 bins of equal width by their largest probability ("confidence"), bin b
//                is (b/15, (b+1)/15]; the error (ECE) is sum_b n_b/N |accuracy_b - confidence_b|
//   entropy      mean of -sum_c p_c log p_c, divided by log C: 1 knows nothing, 0 is sure
//
// Values: P = [[0.5, 0.5], [0.9, 0.1]], y = {1, 0}: accuracy 0.5, nll (log 2 - log 0.9) / 2 =
// 0.39925, probability 0.7, ECE (|0 - 0.5| + |1 - 0.9|) / 2 = 0.3, entropy (1 + 0.46900) / 2 =
// 0.73450.
#pragma once

#include <span>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

using Probabilities = Eigen::Ref<const Mat<double>>;

struct CalibrationBin {
  Index count = 0;
  double confidence = 0, accuracy = 0;  // means over the bin; 0 where it is empty
};

struct Metrics {
  Index N = 0;
  double accuracy = 0, nll = 0, probability = 0, calibration_error = 0, entropy = 0;
  std::vector<CalibrationBin> bins;
};

double accuracy(const Probabilities& P, std::span<const int> y);
double nll(const Probabilities& P, std::span<const int> y);
double mean_probability(const Probabilities& P, std::span<const int> y);
std::vector<CalibrationBin> calibration_bins(const Probabilities& P, std::span<const int> y,
                                             int bins = 15);
double calibration_error(std::span<const CalibrationBin> bins);
double mean_entropy(const Probabilities& P);

// All of them.
Metrics metrics(const Probabilities& P, std::span<const int> y);
// Of two sets of rows together.
Metrics merged(const Metrics& a, const Metrics& b);

}  // namespace vargp
