// The paper's two-dimensional data with four classes: small enough to draw, hard enough to forget.
//
//   class   mean          covariance
//   0       (0.3, 0.5)    diag(0.4^2, 0.4^2)
//   1       (0, -1.2)     diag(0.6^2, 0.1^2)
//   2       (2, 0)        diag(0.1^2, 0.6^2)
//   3       (-1, 0.5)     [[0.2, 0.1], [0.1, 0.1]]
//
// The best possible accuracy on fresh points is about 97.4 %.
#pragma once

#include <cstdint>

#include "vargp/data/dataset.h"

namespace vargp {

// Sets of points that are independent of each other for the same seed.
enum class ToySet : std::uint32_t { kTrain, kValidation, kTest };

// [4 * points_per_class, 2], class by class. A class's first points are the same however many are
// asked for.
Dataset toy(std::uint64_t seed, Index points_per_class = 50, ToySet set = ToySet::kTrain);

}  // namespace vargp
