// What a model tells while it learns, and when it has.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

class StateReader;
class StateWriter;

// Where learning stands; told after every epoch (or as often as there is something to tell). To
// stop learning, the receiver throws: the model is then as it was before the task.
struct Progress {
  Index task = 0, epoch = 0, epochs = 0;
  double bound = 0;       // F(q_t), of the last mini-batch, scaled to the task
  double validation = 0;  // accuracy, or negative mean squared error; NaN without validation data
};
using ProgressCallback = std::function<void(const Progress&)>;

// How learning a task can be left and taken up again. `step` is called between steps, and may throw
// to stop there. First it may call `under_way`, which writes how far the task has come: a later
// learn() of the same task, on a model in the same state, goes on from there when it is given that
// as `resume`, and ends with the same bits. Without an `under_way` there is nothing worth keeping.
struct LearnHooks {
  ProgressCallback progress;
  std::function<void(const std::function<void(StateWriter&)>& under_way)> step;
  StateReader* resume = nullptr;
};

// How the bound and its parts went, one entry an epoch, each a mean over its mini-batches: bound =
// ell - kl_u - beta kl_hyper. A model that does not know a part leaves it empty.
struct LearnCurve {
  std::vector<double> bound, ell, kl_u, kl_hyper, validation;

  template <class Archive>
  void fields(Archive& a) {
    a("bound", bound);
    a("ell", ell);
    a("kl_u", kl_u);
    a("kl_hyper", kl_hyper);
    a("validation", validation);
  }
};

// What learning a task came to.
struct LearnReport {
  Index task = 0, rows = 0, inducing = 0, outputs = 0, epochs = 0;
  double bound = 0, kl_u = 0, kl_hyper = 0;
  double validation = 0;
  double seconds = 0;
  LearnCurve curve;                              // empty where there are no epochs
  Eigen::MatrixXd inducing_inputs;               // [M, D], those of this task
  Eigen::VectorXd log_lengthscales, deviations;  // [D], mean and deviation of q(theta)

  std::string brief() const;  // one line for people
};

}  // namespace vargp
