// Class probabilities from Gaussian labels. A model that regresses on one-hot labels gives, for
// each class, a mean and a variance that are no probabilities yet; with one number a > 0 they are
//
//   p = softmax( a mean / sqrt(1 + pi/8 a^2 var) )
//
// (MacKay's approximation of E softmax(a f)). a is found on validation data, by their NLL.
//   mean = (1, 0), var = 0, a = log 3:  p = (3/4, 1/4)
#pragma once

#include "vargp/core/types.h"

namespace vargp {

class LabelLink {
 public:
  // mean, var [C, N] (var may be [1, N] for all classes) to probabilities [C, N].
  template <class S>
  Mat<S> probabilities(const Mat<S>& mean, const Mat<S>& var) const;

  // Takes the targets Y [C, N] of validation points into account: log a is averaged over the tasks,
  // each weighted by its points.
  template <class S>
  void learn(const Mat<S>& mean, const Mat<S>& var, const Mat<S>& Y);

  double a() const { return a_; }

 private:
  double a_ = 8;  // fits labels with a noise of about 0.05
  double points_ = 0;
};

}  // namespace vargp
