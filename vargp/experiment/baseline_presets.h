// The settings that quick, default and best stand for, for one experiment and baseline.
#pragma once

#include <string>

#include "vargp/baselines/options.h"

namespace vargp {

BaselineOptions baseline_preset(const std::string& experiment, BaselineKind model,
                                const std::string& name);

}  // namespace vargp
