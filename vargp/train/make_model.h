// The model that the options ask for.
#pragma once

#include <memory>

#include "vargp/models/model.h"

namespace vargp {

template <class S>
std::unique_ptr<Model<S>> make_model(const Options& options, bool classification);

}  // namespace vargp
