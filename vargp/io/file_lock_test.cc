#include "vargp/io/file_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "vargp/core/error.h"
#include "vargp/io/file_calls.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class FileLockTest : public testing::Test {
 protected:
  fs::path folder_ =
      fs::path(testing::TempDir()) /
      (std::string("vargp_lock_") + testing::UnitTest::GetInstance()->current_test_info()->name());
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
};

TEST_F(FileLockTest, TheSecondIsToldWhoHoldsIt) {
  const fs::path model = folder_ / "model";
  {
    const FileLock first(model);
    EXPECT_THAT([&] { const FileLock second(model); },
                ThrowsMessage<Error>(AllOf(
                    HasSubstr(model.string() + ": in use by process " + std::to_string(getpid())),
                    HasSubstr("model.lock"))));
    const FileLock other(folder_ / "other");
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  const FileLock again(model);
}

TEST_F(FileLockTest, ALinkHasTheLockOfItsFile) {
  fs::create_symlink("model", folder_ / "link");
  std::ofstream(folder_ / "model") << "m";
  const FileLock first(folder_ / "model");
  EXPECT_THROW(FileLock(folder_ / "link"), Error);
}

TEST_F(FileLockTest, AKilledHolderHoldsNothing) {
  const fs::path model = folder_ / "model";
  const pid_t child = fork();
  if (child == 0) {
    const FileLock held(model);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(fs::exists(folder_ / "model.lock"));
  { const FileLock lock(model); }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(FileLockTest, NeverTwoAtOnce) {
  const fs::path model = folder_ / "model";
  std::atomic<int> inside = 0, turns = 0;
  std::atomic<bool> two = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 500; ++k) {
        try {
          const FileLock lock(model);
          if (++inside > 1) two = true;
          ++turns;
          --inside;
        } catch (const Error&) {
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(two);
  EXPECT_GT(turns, 0);
}

TEST_F(FileLockTest, ErrorsNameTheFile) {
  EXPECT_THAT([&] { const FileLock lock(folder_ / "none" / "model"); },
              ThrowsMessage<Error>(HasSubstr("model: there is no folder")));
  const FileCalls system = file_calls();
  file_calls().flock = [](int, int) { return errno = ENOLCK, -1; };
  EXPECT_THAT([&] { const FileLock lock(folder_ / "model"); },
              ThrowsMessage<Error>(HasSubstr("model: cannot be locked: No locks")));
  file_calls() = system;
}

}  // namespace
}  // namespace vargp
