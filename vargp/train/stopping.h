// Algorithm 1's rule: after more than K epochs, stop when the validation score has moved by less
// than delta since K epochs ago. Where the best epoch is kept: stop when for K epochs none has been
// better by more than delta.
#pragma once

#include <cmath>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

class EarlyStopping {
 public:
  EarlyStopping(Index patience, double tolerance, bool keep_best = false)
      : patience_(patience), tolerance_(tolerance), keep_best_(keep_best) {}

  // The score after one more epoch; true: stop.
  bool stop_after(double score) {
    scores_.push_back(score);
    const auto epochs = static_cast<Index>(scores_.size());
    if (best_ == 0 || score > scores_[static_cast<std::size_t>(best_ - 1)] + tolerance_)
      best_ = epochs;
    if (keep_best_) return epochs - best_ >= patience_;
    if (epochs <= patience_) return false;
    const double before = scores_[static_cast<std::size_t>(epochs - 1 - patience_)];
    return std::abs(score - before) < tolerance_;
  }

  // Of the best score, counted from 1.
  Index best_epoch() const { return best_; }

  template <class Archive>
  void fields(Archive& a) {
    a("scores", scores_);
    a("best", best_);
    a.expect(best_ >= 0 && best_ <= static_cast<Index>(scores_.size()), "a best score among them");
  }

 private:
  Index patience_;
  double tolerance_;
  bool keep_best_;
  Index best_ = 0;
  std::vector<double> scores_;
};

}  // namespace vargp
