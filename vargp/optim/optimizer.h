// First-order update rules. They know parameters and gradients, no data and no model.
//
//   Adam   m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2
//   Yogi   m the same,              v <- v - (1 - b2) sign(v - g^2) g^2
//   both   x <- x - lr mhat / (sqrt(vhat) + eps),  hats: divided by 1 - b^step
//
// Yogi (Zaheer et al. 2018), with v started at 1e-6 and eps = 1e-3, is the paper's choice.
// On its first step, g = 1 and lr = 0.1, Adam moves a parameter by -0.1 (eps aside).
#pragma once

#include <string>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

enum class Rule { kAdam, kYogi };

struct OptimizerOptions {
  Rule rule = Rule::kAdam;
  double learning_rate = 0.01;
  double beta1 = 0.9;
  double beta2 = 0.999;
};

template <class S>
class Optimizer {
 public:
  explicit Optimizer(OptimizerOptions options) : options_(options) {}

  // Moves each parameter against its gradient, by `rate` of the learning rate. The list must be the
  // same at every step.
  void step(const std::vector<Mat<S>*>& parameters, const std::vector<Mat<S>>& gradients,
            double rate = 1);

  template <class Archive>
  void fields(Archive& a) {
    a("slots", slots_);
    a("step", step_);
  }

 private:
  struct Slot {
    Mat<S> m, v;

    template <class Archive>
    void fields(Archive& a) {
      a("m", m);
      a("v", v);
    }
  };
  OptimizerOptions options_;
  std::vector<Slot> slots_;
  Index step_ = 0;
};

}  // namespace vargp
