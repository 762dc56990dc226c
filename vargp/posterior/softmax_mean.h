// The mean of the coupled posterior under softmax: the maximum of the concave function
//
//   F(mu) = sum_i ( y_i' f_i - logsumexp f_i ) - 1/2 (mu - mu_0)' Lambda_0 (mu - mu_0),  f_i = mu'
//   W_i
//
// by conjugate gradients (Polak-Ribiere) with the posterior's precision as preconditioner. Along a
// direction f is linear in the step, so the line search, Newton's with a guard, costs no product
// with W.
#pragma once

#include <functional>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

template <class S>
class SoftmaxMean {
 public:
  using Solve = std::function<Mat<double>(const Mat<double>&)>;

  // W in pieces [n, b], the targets Y [C, N] in their order; Lambda_0 [n, n], mu_0 [n, C]; solve
  // applies the inverse of the preconditioner. All must outlive this.
  SoftmaxMean(const std::vector<Mat<S>>& W, const Mat<S>& Y, const Mat<double>& Lambda_0,
              const Mat<double>& mu_0, Solve solve);

  // Moves mu [n, C] uphill until an iteration gains less than `tolerance`, or for max_iterations.
  // Returns F at the start and after each iteration: it never falls. `pause` is called after each,
  // and may throw.
  std::vector<double> maximise(Mat<double>& mu, int max_iterations, double tolerance,
                               const std::function<void()>& pause) const;

 private:
  using Pieces = std::vector<Mat<S>>;
  struct Slope {
    double first, second;  // derivatives of F in the step
  };

  Pieces project(const Mat<double>& v) const;  // W' v, [C, b] each
  double log_likelihood(const Pieces& f, const Pieces& df, double step) const;
  Mat<double> gradient_of_likelihood(const Pieces& f) const;  // W (Y - p)', [n, C]
  Slope slope_of_likelihood(const Pieces& f, const Pieces& df, double step) const;
  // Adds up what `part` gives for each piece, in their order.
  template <class T>
  T sum(const std::function<T(std::size_t)>& part) const;

  const std::vector<Mat<S>>& W_;
  Pieces Y_;
  const Mat<double>&Lambda_0_, &mu_0_;
  Solve solve_;
};

}  // namespace vargp
