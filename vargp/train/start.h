// Where learning starts: inducing inputs from the task's points, and the first theta from the
// median distance between them.
#pragma once

#include <functional>

#include "vargp/core/random.h"
#include "vargp/models/model.h"
#include "vargp/models/options.h"

namespace vargp {

// M inducing inputs (fewer when the task has fewer distinct points, or by inducing_share and
// private_minimum): k-means centres, or rows. When M reaches the number of points, the points
// themselves, unless private_minimum forbids it. `pause` is called now and then, and may throw.
template <class S>
Mat<S> start_inducing(const RowMat<S>& X, const Options& options, Random random,
                      const std::function<void()>& pause = nullptr);

// The median distance between two of the points (of up to 512 of them); 1 if they are all the same.
template <class S>
double median_distance(const RowMat<S>& X, Random random);

// p of models/hyper.h: the log lengthscales (D of them with ARD, else one), then the log scale.
template <class S>
Mat<S> start_theta(const RowMat<S>& X, const Options& options);

// Rows of X and columns of Y picked by index, in chunks of at most `size`.
template <class S>
struct Chunks {
  std::vector<Mat<S>> X, Y;  // [b, D] and [C, b] each
};
template <class S>
Chunks<S> gather(const RowMat<S>& X, const Mat<S>& Y, const Index* rows, Index count, Index size);

// Validation score of predictions against targets [C, N]: accuracy of the most probable class, or
// the negative mean squared error.
template <class S>
double score(const Latent<S>& f, const Mat<S>& Y, bool classification);

}  // namespace vargp
