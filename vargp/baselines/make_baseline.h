// A baseline by its options, for points [N, D] of C classes. threads: 0 for all cores.
#pragma once

#include <memory>

#include "vargp/baselines/learner.h"
#include "vargp/baselines/options.h"

namespace vargp {

std::unique_ptr<Learner> make_baseline(const BaselineOptions& options, Index D, int C,
                                       int threads = 0);

}  // namespace vargp
