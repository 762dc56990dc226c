#include "vargp/likelihoods/label_link.h"

#include <cmath>

#include "vargp/likelihoods/softmax.h"

namespace vargp {

template <class S>
Mat<S> LabelLink::probabilities(const Mat<S>& mean) const {
  return softmax<S>(static_cast<S>(a_) * mean);
}

template <class S>
void LabelLink::learn(const Mat<S>& mean, const Mat<S>& Y) {
  if (Y.cols() == 0) return;
  const auto nll = [&](double log_a) {
    const Mat<S> f = static_cast<S>(std::exp(log_a)) * mean;
    const double from_prior = log_a - std::log(kUsual);
    return static_cast<double>((log_sum_exp(f) - Y.cwiseProduct(f).colwise().sum()).sum()) +
           0.5 * from_prior * from_prior;
  };
  // Golden section on log a.
  double low = std::log(0.5), high = std::log(200.0);
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double x1 = high - ratio * (high - low), x2 = low + ratio * (high - low);
  double f1 = nll(x1), f2 = nll(x2);
  for (int i = 0; i < 30; ++i) {
    if (f1 < f2) {
      high = x2;
      x2 = x1;
      f2 = f1;
      x1 = high - ratio * (high - low);
      f1 = nll(x1);
    } else {
      low = x1;
      x1 = x2;
      f1 = f2;
      x2 = low + ratio * (high - low);
      f2 = nll(x2);
    }
  }
  const auto count = static_cast<double>(Y.cols());
  const double old = points_ > 0 ? std::log(a_) * points_ : 0;
  points_ += count;
  a_ = std::exp((old + 0.5 * (low + high) * count) / points_);
}

template Mat<float> LabelLink::probabilities(const Mat<float>&) const;
template Mat<double> LabelLink::probabilities(const Mat<double>&) const;
template void LabelLink::learn(const Mat<float>&, const Mat<float>&);
template void LabelLink::learn(const Mat<double>&, const Mat<double>&);

}  // namespace vargp
