#include "vargp/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace vargp {
namespace {

TEST(Parallel, EveryIndexIsVisitedOnce) {
  std::vector<std::atomic<int>> visits(1000);
  parallel_for(1000, [&](Index i) { ++visits[static_cast<std::size_t>(i)]; });
  for (const auto& v : visits) EXPECT_EQ(v, 1);
}

TEST(Parallel, NothingToDoIsFine) {
  parallel_for(0, [](Index) { FAIL(); });
}

TEST(Parallel, PiecesCoverEverythingOnce) {
  for (const Index count : {0, 1, 9, 10, 11}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
    parallel_pieces(count, 5, [&](Index first, Index size) {
      EXPECT_LE(size, 5);
      for (Index i = first; i < first + size; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    for (const auto& v : visits) EXPECT_EQ(v, 1) << count;
  }
}

TEST(Parallel, AnExceptionReachesTheCaller) {
  EXPECT_THROW(parallel_for(10,
                            [](Index i) {
                              if (i == 7) throw std::runtime_error("seven");
                            }),
               std::runtime_error);
}

}  // namespace
}  // namespace vargp
