#include "vargp/io/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "vargp/core/error.h"
#include "vargp/io/file_calls.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("vargp_file_") +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(AtomicFileTest, ReplacesTheOldFileAndLeavesNothingElse) {
  write_file(folder_ / "a", "old");
  write_file(folder_ / "a", std::string("new\0bytes", 9));
  EXPECT_EQ(content(folder_ / "a"), std::string("new\0bytes", 9));
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStays) {
  write_file(folder_ / "a", "old");
  {
    AtomicFile file(folder_ / "a");
    file.write("new");
  }
  EXPECT_EQ(content(folder_ / "a"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFileTest, PiecesAreJoined) {
  AtomicFile file(folder_ / "a");
  for (int i = 0; i < 1000; ++i) file.write("0123456789");
  file.commit();
  EXPECT_EQ(content(folder_ / "a").size(), 10'000u);
}

TEST_F(AtomicFileTest, KeepsThePermissionsOfTheOldFile) {
  write_file(folder_ / "a", "old");
  fs::permissions(folder_ / "a", fs::perms::owner_read | fs::perms::owner_write);
  write_file(folder_ / "a", "new");
  EXPECT_EQ(fs::status(folder_ / "a").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFileTest, FollowsASymbolicLink) {
  write_file(folder_ / "a", "old");
  fs::create_symlink("a", folder_ / "link");
  write_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(folder_ / "a"), "new");
}

TEST_F(AtomicFileTest, ErrorsNameThePath) {
  const fs::path nowhere = folder_ / "none" / "a";
  EXPECT_THAT([&] { write_file(nowhere, "x"); },
              ThrowsMessage<Error>(HasSubstr(nowhere.string() + ": cannot be written: No such")));
  EXPECT_THAT([&] { write_file(folder_, "x"); }, ThrowsMessage<Error>(HasSubstr("it is a folder")));
}

TEST_F(AtomicFileTest, AFailingWriteLeavesTheOldFile) {
  write_file(folder_ / "a", "old");
  // A limit on the size of files stands in for a full disk; it is the child's alone.
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_file(folder_ / "a", std::string(5000, 'x'));
    } catch (const Error&) {
      _exit(7);
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(content(folder_ / "a"), "old");
  EXPECT_EQ(files(), 1);
}

// Every call that a write makes, made to fail in turn.
TEST_F(AtomicFileTest, WhicheverCallFailsTheOldFileStaysAndNothingIsLeft) {
  const FileCalls system = file_calls();
  for (const int reason : {ENOSPC, EIO, EDQUOT}) {
    int n = 1;
    for (bool failed = true; failed; ++n) {
      write_file(folder_ / "a", "old");
      int count = 0;
      bool renamed = false;
      const auto fails = [&] {
        if (++count != n) return false;
        errno = reason;
        return true;
      };
      FileCalls& calls = file_calls();
      calls.open = [&](const char* path, int flags, mode_t mode) {
        return fails() ? -1 : system.open(path, flags, mode);
      };
      calls.fchmod = [&](int f, mode_t mode) { return fails() ? -1 : system.fchmod(f, mode); };
      // Not more than 3 bytes at once, as a disk that fills up does.
      calls.write = [&](int f, const void* bytes, std::size_t size) {
        return fails() ? -1 : system.write(f, bytes, std::min<std::size_t>(size, 3));
      };
      calls.fsync = [&](int f) { return fails() ? -1 : system.fsync(f); };
      calls.close = [&](int f) { return system.close(f), fails() ? -1 : 0; };
      calls.rename = [&](const char* from, const char* to) {
        if (fails()) return -1;
        renamed = true;
        return system.rename(from, to);
      };
      failed = false;
      try {
        write_file(folder_ / "a", "the new one");
      } catch (const Error& error) {
        failed = true;
        EXPECT_THAT(error.what(), HasSubstr((folder_ / "a").string() + ": "));
        EXPECT_THAT(error.what(), HasSubstr(std::strerror(reason)));
      }
      // A folder that cannot be closed has been synced all the same.
      if (!failed && count >= n) failed = true;
      file_calls() = system;
      EXPECT_EQ(content(folder_ / "a"), renamed ? "the new one" : "old") << "call " << n;
      EXPECT_EQ(files(), 1) << "call " << n;
    }
    // open, fchmod, write (4), fsync, close, rename, open, fsync, close; and one that did not fail.
    EXPECT_EQ(n, 12 + 2);
  }
}

TEST_F(AtomicFileTest, AKilledWriterLeavesTheOldFile) {
  write_file(folder_ / "a", "old");
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(folder_ / "a");
    file.write("new");
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(content(folder_ / "a"), "old");
}

}  // namespace
}  // namespace vargp
