// The calls to the system by which files are written and locked. A test puts others in their place
// to see what happens when any of them fails.
#pragma once

#include <sys/types.h>

#include <functional>

namespace vargp {

struct FileCalls {
  // As the system has them: negative on failure, with the reason in errno.
  std::function<int(const char* path, int flags, mode_t mode)> open;
  std::function<int(int file, mode_t mode)> fchmod;
  std::function<ssize_t(int file, const void* bytes, std::size_t size)> write;
  std::function<int(int file)> fsync;
  std::function<int(int file)> close;
  std::function<int(const char* from, const char* to)> rename;
  std::function<int(const char* path)> unlink;
  std::function<int(int file, int operation)> flock;
};

// The ones in use: those of the system, until a test sets others.
FileCalls& file_calls();

}  // namespace vargp
