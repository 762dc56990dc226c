// What every model can do: learn one task after another, and predict.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "vargp/core/types.h"
#include "vargp/models/options.h"
#include "vargp/models/report.h"

namespace vargp {

// One task. Y [C, N]: one-hot columns for classes, numbers for regression.
template <class S>
struct TaskData {
  RowMat<S> X;             // [N, D]
  Mat<S> Y;                // [C, N]
  RowMat<S> X_validation;  // may have no rows
  Mat<S> Y_validation;
  bool learn_validation = false;  // once they have served; the coupled model can
  // Of a task too large for memory X and Y are a sample, and this hands over all of its rows (but
  // those for validation), part by part. Only a model with a closed form learns so.
  std::function<void(const std::function<void(const RowMat<S>&, const Mat<S>&)>& take)> pass =
      nullptr;
};

// Marginals of f at new points, over theta and u.
template <class S>
struct Latent {
  Mat<S> mean, var;    // [C, N]; var is empty where nobody asked for it or needed it
  Mat<S> probability;  // [C, N]; empty for regression
};

template <class S>
class Model {
 public:
  virtual ~Model() = default;
  // If anything is thrown, by the hooks too, the model stays as it was.
  virtual LearnReport learn(const TaskData<S>& task, const LearnHooks& hooks) = 0;
  // Without the variances where with_var is false and they would cost extra.
  virtual Latent<S> predict(const RowMat<S>& X, bool with_var) const = 0;

  virtual Index outputs() const = 0;
  virtual double noise() const = 0;                         // s2; 0 without a Gaussian likelihood
  virtual std::vector<Mat<S>> inducing_inputs() const = 0;  // of each task, [M, D]
  virtual void theta(Mat<S>& mean, Mat<S>& deviation) const = 0;  // [D + 1, 1] each
  virtual std::size_t state_bytes() const = 0;
  virtual std::unique_ptr<Model> clone() const = 0;

  // Everything that was learned. A model of the same options that reads it predicts and learns on
  // with the same bits.
  virtual void write(StateWriter& writer) const = 0;
  virtual void read(StateReader& reader) = 0;
};

// The rows of X in chunks of a fixed size, the last filled up with zeros, each worked on by itself:
// what comes out for a row does not depend on the rows around it.
constexpr Index kPredictChunk = 256;
template <class S>
void for_each_chunk(const RowMat<S>& X,
                    const std::function<void(const Mat<S>& chunk, Index first, Index count)>& body);

}  // namespace vargp
