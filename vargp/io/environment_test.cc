#include "vargp/io/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vargp {
namespace {

using testing::MatchesRegex;

TEST(Environment, SaysWhatMadeARecord) {
  const Json stamp = environment();
  for (const char* field : {"vargp", "commit", "cpu", "system", "compiler", "instructions", "build",
                            "eigen", "tbb", "zlib", "nlohmann_json", "fmt"})
    EXPECT_FALSE(stamp.at(field).get<std::string>().empty()) << field;
  EXPECT_GE(stamp.at("cores").get<int>(), 1);
  EXPECT_GT(stamp.at("memory_bytes").get<std::int64_t>(), 0);
  EXPECT_THAT(stamp.at("eigen").get<std::string>(), MatchesRegex("3\\.[0-9]+\\.[0-9]+"));
}

TEST(Environment, TheCommitIsAHashOrUnknown) {
  EXPECT_THAT(commit(), MatchesRegex("[0-9a-f]+(-dirty)?|unknown"));
}

TEST(Environment, IsTheSameTwice) { EXPECT_EQ(environment(), environment()); }

}  // namespace
}  // namespace vargp
