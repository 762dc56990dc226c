// Several runs side by side, each on its share of the cores, a line for each that is done.
#pragma once

#include <vector>

#include "vargp/experiment/suite.h"

namespace vargp {

// All jobs that are not done. One that fails does not keep the others from running; in the end the
// first failure is thrown. Ctrl-C leaves checkpoints, from which the same call goes on.
void run_jobs(const std::vector<Job>& jobs, int side_by_side);

// 0: one for every core.
int side_by_side_of(int jobs);

}  // namespace vargp
