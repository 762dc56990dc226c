// Counter-based random streams (Philox 4x32, ten rounds).
//
// A stream is named, not advanced: seed, purpose, task and step fix it, so a number never depends
// on what was drawn before it, on the thread that draws it or on whether a run was resumed.
#pragma once

#include <cstdint>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

enum class Purpose : std::uint32_t {
  kData,
  kValidationSplit,
  kPermutation,
  kInducing,
  kBatch,
  kTheta,
  kFunction,
  kPredictTheta,
  kPredictFunction,
  kProjection,
  kTest,
  kWeights,  // where a network starts
  kWeightNoise,
  kPredictNoise,
  kSampledLabel,
  kKeptRows,
  kReplay,
  kFeatures,
  kSearch,
};

class Random {
 public:
  // lane (below 2^24) tells apart streams that are drawn from at the same time.
  Random(std::uint64_t seed, Purpose purpose, Index task = 0, Index step = 0, Index lane = 0);

  std::uint32_t bits();
  double uniform();          // in (0, 1)
  double normal();           // N(0, 1), Box-Muller
  Index below(Index bound);  // in [0, bound), without bias
  std::vector<Index> permutation(Index n);

  template <class S>
  Mat<S> normals(Index rows, Index cols) {
    Mat<S> out(rows, cols);
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) out(i, j) = static_cast<S>(normal());
    return out;
  }

 private:
  std::uint64_t seed_;
  std::uint32_t purpose_, task_, step_;
  std::uint32_t block_ = 0;
  std::uint32_t buffer_[4] = {};
  int used_ = 4;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace vargp
