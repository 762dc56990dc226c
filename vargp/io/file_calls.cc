#include "vargp/io/file_calls.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace vargp {

FileCalls& file_calls() {
  static FileCalls calls{
      [](const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); },
      ::fchmod,
      ::write,
      ::fsync,
      ::close,
      ::rename,
      ::unlink,
      ::flock,
  };
  return calls;
}

}  // namespace vargp
