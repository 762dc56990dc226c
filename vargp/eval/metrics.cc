#include "vargp/eval/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vargp/core/error.h"

namespace vargp {
namespace {

void check(const Probabilities& P, std::span<const int> y) {
  require(P.rows() > 0, "metrics: no predictions");
  require(P.rows() == std::ssize(y), "metrics: {} predictions but {} labels", P.rows(), y.size());
  for (Index i = 0; i < P.rows(); ++i) {
    const int label = y[static_cast<std::size_t>(i)];
    require(label >= 0 && label < P.cols(), "metrics, row {}: class {}, expected 0 to {}", i, label,
            P.cols() - 1);
    const double sum = P.row(i).sum();
    require(std::abs(sum - 1) < 1e-3 && P.row(i).minCoeff() >= 0,
            "metrics, row {}: no probabilities (they sum to {})", i, sum);
  }
}

Index most_probable(const Probabilities& P, Index row) {
  Index best = 0;
  for (Index c = 1; c < P.cols(); ++c)
    if (P(row, c) > P(row, best)) best = c;
  return best;
}

}  // namespace

double accuracy(const Probabilities& P, std::span<const int> y) {
  check(P, y);
  Index right = 0;
  for (Index i = 0; i < P.rows(); ++i)
    right += most_probable(P, i) == y[static_cast<std::size_t>(i)];
  return static_cast<double>(right) / static_cast<double>(P.rows());
}

double nll(const Probabilities& P, std::span<const int> y) {
  check(P, y);
  double sum = 0;
  for (Index i = 0; i < P.rows(); ++i)
    sum -= std::log(
        std::max(P(i, y[static_cast<std::size_t>(i)]), std::numeric_limits<double>::epsilon()));
  return sum / static_cast<double>(P.rows());
}

double mean_probability(const Probabilities& P, std::span<const int> y) {
  check(P, y);
  double sum = 0;
  for (Index i = 0; i < P.rows(); ++i) sum += P(i, y[static_cast<std::size_t>(i)]);
  return sum / static_cast<double>(P.rows());
}

std::vector<CalibrationBin> calibration_bins(const Probabilities& P, std::span<const int> y,
                                             int bins) {
  check(P, y);
  require(bins > 0, "calibration: {} bins, expected 1 or more", bins);
  std::vector<CalibrationBin> out(static_cast<std::size_t>(bins));
  for (Index i = 0; i < P.rows(); ++i) {
    const Index best = most_probable(P, i);
    const double confidence = P(i, best);
    const int b = std::clamp(static_cast<int>(std::ceil(confidence * bins)) - 1, 0, bins - 1);
    CalibrationBin& bin = out[static_cast<std::size_t>(b)];
    ++bin.count;
    bin.confidence += confidence;
    bin.accuracy += best == y[static_cast<std::size_t>(i)];
  }
  for (CalibrationBin& bin : out) {
    if (bin.count == 0) continue;
    bin.confidence /= static_cast<double>(bin.count);
    bin.accuracy /= static_cast<double>(bin.count);
  }
  return out;
}

double calibration_error(std::span<const CalibrationBin> bins) {
  double sum = 0;
  Index N = 0;
  for (const CalibrationBin& bin : bins) {
    sum += static_cast<double>(bin.count) * std::abs(bin.accuracy - bin.confidence);
    N += bin.count;
  }
  return N ? sum / static_cast<double>(N) : 0;
}

double mean_entropy(const Probabilities& P) {
  require(P.rows() > 0, "metrics: no predictions");
  if (P.cols() < 2) return 0;
  double sum = 0;
  for (Index i = 0; i < P.rows(); ++i)
    for (Index c = 0; c < P.cols(); ++c)
      if (P(i, c) > 0) sum -= P(i, c) * std::log(P(i, c));
  return sum / (static_cast<double>(P.rows()) * std::log(static_cast<double>(P.cols())));
}

Metrics metrics(const Probabilities& P, std::span<const int> y) {
  Metrics out;
  out.N = P.rows();
  out.accuracy = accuracy(P, y);
  out.nll = nll(P, y);
  out.probability = mean_probability(P, y);
  out.bins = calibration_bins(P, y);
  out.calibration_error = calibration_error(out.bins);
  out.entropy = mean_entropy(P);
  return out;
}

Metrics merged(const Metrics& a, const Metrics& b) {
  if (a.N == 0) return b;
  if (b.N == 0) return a;
  const auto mean = [](Index na, double xa, Index nb, double xb) {
    const auto n = static_cast<double>(na + nb);
    return n == 0 ? 0.0 : (static_cast<double>(na) * xa + static_cast<double>(nb) * xb) / n;
  };
  Metrics out;
  out.N = a.N + b.N;
  out.accuracy = mean(a.N, a.accuracy, b.N, b.accuracy);
  out.nll = mean(a.N, a.nll, b.N, b.nll);
  out.entropy = mean(a.N, a.entropy, b.N, b.entropy);
  VARGP_CHECK(a.bins.size() == b.bins.size());
  for (std::size_t k = 0; k < a.bins.size(); ++k) {
    const CalibrationBin &x = a.bins[k], &y = b.bins[k];
    out.bins.push_back({x.count + y.count, mean(x.count, x.confidence, y.count, y.confidence),
                        mean(x.count, x.accuracy, y.count, y.accuracy)});
  }
  out.calibration_error = calibration_error(out.bins);
  return out;
}

}  // namespace vargp
