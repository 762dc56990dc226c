// The parameters that one step of the optimizer moves, entered on the step's tape one by one.
#pragma once

#include <vector>

#include "vargp/autodiff/tape.h"
#include "vargp/core/parallel.h"
#include "vargp/optim/optimizer.h"

namespace vargp {

template <class S>
class Moving {
 public:
  explicit Moving(Tape<S>& tape) : tape_(tape) {}

  // A variable that step() will move, or a constant. The value must outlive this and the tape, and
  // stay as it is until step().
  Var<S> enter(Mat<S>& value, bool moves) {
    if (!moves) return tape_.constant_ref(value);
    parameters_.push_back(&value);
    entries_.push_back(tape_.variable_ref(value));
    return entries_.back();
  }

  bool empty() const { return parameters_.empty(); }

  // After backward(), by `rate` of the learning rate.
  void step(Optimizer<S>& optimizer, double rate = 1) const {
    std::vector<Mat<S>> gradients(entries_.size());
    parallel_for(std::ssize(entries_), [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      gradients[k] = entries_[k].grad();
    });
    optimizer.step(parameters_, gradients, rate);
  }

 private:
  Tape<S>& tape_;
  std::vector<Mat<S>*> parameters_;
  std::vector<Var<S>> entries_;
};

}  // namespace vargp
