#include "vargp/core/parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

namespace vargp {

void parallel_for(Index count, const std::function<void(Index)>& body) {
  if (count == 1) return body(0);
  tbb::parallel_for(
      tbb::blocked_range<Index>(0, count, 1),
      [&](const auto& range) {
        for (Index i = range.begin(); i != range.end(); ++i) body(i);
      },
      tbb::simple_partitioner());
}

void parallel_pieces(Index count, Index size, const std::function<void(Index, Index)>& body) {
  parallel_for((count + size - 1) / size,
               [&](Index i) { body(i * size, std::min(size, count - i * size)); });
}

void with_threads(int threads, const std::function<void()>& work) {
  const int n = threads > 0 ? threads : tbb::info::default_concurrency();
  // More threads than cores must be possible: the tests show that nothing depends on the number.
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(n));
  tbb::task_arena(n).execute(work);
}

}  // namespace vargp
