// Parallel work in units that do not depend on the number of threads: whoever calls this fixes the
// units (and adds up their results in a fixed order), so the same bits come out on any machine
// size.
#pragma once

#include <functional>

#include "vargp/core/types.h"

namespace vargp {

// Calls body(0) .. body(count - 1), several at once. An exception in any of them is rethrown.
void parallel_for(Index count, const std::function<void(Index)>& body);

// Calls body(first, size) for the pieces of 0 .. count - 1, `size` in each but the last, several at
// once.
void parallel_pieces(Index count, Index size,
                     const std::function<void(Index first, Index size)>& body);

// Runs work with the given number of threads (0: as many as the machine has).
void with_threads(int threads, const std::function<void()>& work);

}  // namespace vargp
