#include "vargp/data/process.h"

#include <gtest/gtest.h>

namespace vargp {
namespace {

TEST(Process, ReturnsWhatTheProgramPrintsAndItsExitCode) {
  const ProcessResult result = run_process({"sh", "-c", "pwd; echo oh >&2; exit 3"}, "/usr");
  EXPECT_TRUE(result.started);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output, "/usr\noh\n");
}

TEST(Process, ArgumentsAreNotReadByAShell) {
  EXPECT_EQ(run_process({"printf", "%s", "$HOME `ls` 'a b'"}).output, "$HOME `ls` 'a b'");
}

TEST(Process, AMissingProgramIsNotStarted) {
  EXPECT_FALSE(run_process({"no-such-program-as-this"}).started);
}

TEST(Process, ASignalGivesItsNumberPlus128) {
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}).exit_code, 137);
}

}  // namespace
}  // namespace vargp
