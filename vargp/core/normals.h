// Standard normals from whole matrices of uniform bits: several times as fast as one by one
// (Random::normals), for noise that is drawn anew at every step.
#pragma once

#include "vargp/core/random.h"

namespace vargp {

template <class S>
Mat<S> fast_normals(Random& random, Index rows, Index cols);

}  // namespace vargp
