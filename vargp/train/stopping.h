// Algorithm 1's rule: after more than K epochs, stop when the validation score has moved by less
// than delta since K epochs ago.
#pragma once

#include <cmath>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

class EarlyStopping {
 public:
  EarlyStopping(Index patience, double tolerance) : patience_(patience), tolerance_(tolerance) {}

  // The score after one more epoch; true: stop.
  bool stop_after(double score) {
    scores_.push_back(score);
    const auto epochs = static_cast<Index>(scores_.size());
    if (epochs <= patience_) return false;
    const double before = scores_[static_cast<std::size_t>(epochs - 1 - patience_)];
    return std::abs(score - before) < tolerance_;
  }

  template <class Archive>
  void fields(Archive& a) {
    a("scores", scores_);
  }

 private:
  Index patience_;
  double tolerance_;
  std::vector<double> scores_;
};

}  // namespace vargp
