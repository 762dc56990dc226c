// The work that is measured: a training step of the auto-regressive model, and prediction from it,
// at given sizes, on random inputs that look like images.
#pragma once

#include <memory>
#include <vector>

#include "vargp/baselines/options.h"
#include "vargp/models/predictor.h"
#include "vargp/train/task_learner.h"

namespace vargp {

struct Sizes {
  Index tasks = 5;      // with the current one
  Index classes = 10;   // C
  Index inducing = 60;  // M of each task
  Index dims = 784;     // D
  Index batch = 512;    // B
  Index theta_samples = 3, function_samples = 10;
  bool shared = false;
  double zeros = 0;  // share of the points' entries; 0.81 in MNIST
};

// Seconds of each of `repeats` training steps (after one that is not counted): the bound, all its
// gradients, and a Yogi step on Z, m, Ls and q(theta).
std::vector<double> time_training_steps(const Sizes& sizes, int repeats);

// Seconds of each of `repeats` predictions of `rows` points, with variances and probabilities.
std::vector<double> time_predictions(const Sizes& sizes, Index rows, int repeats);

// Seconds of each of `repeats` epochs of a baseline's network 784-100-100-10 over N random points.
std::vector<double> time_network_epochs(BaselineKind kind, Index N, Index batch, int threads,
                                        int repeats);

// Operations of one training step: products (2 a b c for [a, b] times [b, c]), solves, factors and
// their adjoints; not counted are exponentials and other elementwise work.
double step_operations(const Sizes& sizes);

double median(std::vector<double> values);

}  // namespace vargp
