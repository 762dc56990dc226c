// k-means centres, where inducing inputs start: they cover the data, and no raw record stays in a
// model, only averages.
//
//   inertia = sum_i min_k |x_i - c_k|^2
//
// Lloyd's rounds from a k-means++ start, made quick in two ways: points are compared in their
// leading principal directions only (a randomised range finder tells which; what they leave out is
// nearly the same for every centre), and the start is chosen, and first moved, on a sample. The
// last rounds take all points, and the centres are averages of whole points.
//
// clang-format off
//   MNIST, D = 784, two cores,      here             30 to 100 rounds with all
//   seconds and inertia / N                          points and columns
//   N = 10,000 (0/1), M = 200       0.11 s, 13.01    2.5 s, 12.94
//   N = 10,000 (0/1), M = 800       0.32 s,  9.19    4.7 s,  9.37
//   N = 50,000 (all), M = 1000      0.93 s, 20.38     34 s, 20.23
// clang-format on
//
// The work is cut into chunks of a fixed size and every sum is in a fixed order: the same bits
// come out whatever the number of threads.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "vargp/core/random.h"
#include "vargp/core/types.h"

namespace vargp {

struct KMeansOptions {
  int sample_rounds = 8;         // Lloyd rounds on the sample
  int full_rounds = 4;           // and then on all points
  Index sample_per_centre = 20;  // points in the sample, for each centre; 0: no sample
  Index directions = 64;         // principal directions in which points are compared; 0: all of D
  Index minimum = 1;             // no centre averages fewer points than this
  std::function<void()> pause = nullptr;  // called after every round; may throw to stop
};

struct Clusters {
  RowMat<float> centres;      // [at most M, D]
  std::vector<Index> counts;  // points that each centre averages
  std::vector<int> classes;   // the class of each centre; empty where classes were not looked at
  double inertia = 0;         // of the points about the centre that averages them
};

// M centres of the rows of X; fewer when X has fewer distinct rows, or when minimum * M > N.
Clusters kmeans(const RowMat<float>& X, Index M, Random& random, const KMeansOptions& options = {});

// The same for each class by itself, M dealt out by the classes' shares of the points (at least
// one each). Classes stand one after the other, ascending.
Clusters kmeans_per_class(const RowMat<float>& X, std::span<const int> y, Index M, Random& random,
                          const KMeansOptions& options = {});

}  // namespace vargp
