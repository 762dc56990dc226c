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

TEST(Parallel, AnExceptionReachesTheCaller) {
  EXPECT_THROW(parallel_for(10,
                            [](Index i) {
                              if (i == 7) throw std::runtime_error("seven");
                            }),
               std::runtime_error);
}

}  // namespace
}  // namespace vargp
