// Class probabilities from Gaussian labels. A model that regresses on one-hot labels gives a mean
// for each class that is no probability yet; with one number a > 0 it is:
//
//   p = softmax(a mean)
//
// a is found on validation data, by their NLL and a weak prior, log a ~ N(log 10, 1), which decides
// where they are few or all right (or all of one class) and the NLL would have a without end. (The
// variance, the same for all classes, was tried
// as a second term, and did not lower the NLL.) Far from all data the means are 0 and p is uniform.
//   mean = (1, 0), a = log 3:  p = (3/4, 1/4)
#pragma once

#include "vargp/core/types.h"

namespace vargp {

class LabelLink {
 public:
  explicit LabelLink(double a = kUsual) : a_(a) {}

  // mean [C, N] to probabilities [C, N].
  template <class S>
  Mat<S> probabilities(const Mat<S>& mean) const;

  // Takes the targets Y [C, N] of validation points into account: log a is averaged over the tasks,
  // each weighted by its points.
  template <class S>
  void learn(const Mat<S>& mean, const Mat<S>& Y);

  double a() const { return a_; }

  template <class Archive>
  void fields(Archive& archive) {
    archive("a", a_);
    archive("points", points_);
    archive.expect(a_ > 0 && points_ >= 0, "a above 0 and points not below");
  }

 private:
  static constexpr double kUsual = 10;

  double a_;
  double points_ = 0;  // validation points behind it
};

}  // namespace vargp
