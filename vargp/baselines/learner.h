// All that an experiment asks of whatever learns: one task after another, probabilities for any
// points, and its state, so that a run can be left and taken up again.
#pragma once

#include "vargp/data/dataset.h"
#include "vargp/io/state.h"
#include "vargp/models/report.h"

namespace vargp {

class Learner {
 public:
  virtual ~Learner() = default;

  // Learns the next task. If anything is thrown, by the hooks too, it stays as it was.
  virtual LearnReport learn(const Dataset& train, const Dataset& validation,
                            const LearnHooks& hooks) = 0;

  // Class probabilities [N, C]. task: which one the points come from. Only a model with a head for
  // each task may look at it.
  virtual Mat<double> probabilities(const RowMat<float>& X, Index task) const = 0;

  virtual Index tasks() const = 0;
  virtual Index raw_rows() const = 0;  // rows of training data that it keeps as they were
  virtual std::size_t state_bytes() const = 0;

  // What was learned. A learner of the same options that reads it predicts and learns on with the
  // same bits.
  virtual State state() const = 0;
  virtual void read(State& state) = 0;
};

// Of all numbers in a state.
inline std::size_t bytes_of(const State& state) {
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : state.tensors) bytes += tensor.bytes.size();
  return bytes;
}

}  // namespace vargp
