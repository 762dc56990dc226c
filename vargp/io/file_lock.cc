#include "vargp/io/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "vargp/core/error.h"
#include "vargp/io/file_calls.h"

namespace vargp {

namespace fs = std::filesystem;

FileLock::FileLock(const fs::path& path) {
  require(path.has_filename(), "{}: not the name of a file", path.string());
  std::error_code ignored;
  lock_ = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : path;
  const fs::path folder = lock_.has_parent_path() ? lock_.parent_path() : fs::path(".");
  require(fs::is_directory(folder, ignored), "{}: there is no folder {}", path.string(),
          folder.string());
  lock_ += ".lock";
  const FileCalls& calls = file_calls();
  for (;;) {
    file_ = calls.open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    require(file_ >= 0, "{}: cannot be locked: {}: {}", path.string(), lock_.string(),
            std::strerror(errno));
    if (calls.flock(file_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      char holder[32] = {};
      const ssize_t n = pread(file_, holder, sizeof holder - 1, 0);
      calls.close(file_);
      require(error == EWOULDBLOCK, "{}: cannot be locked: {}", path.string(),
              std::strerror(error));
      fail("{}: in use by {}, which is changing it (it holds {})", path.string(),
           n > 0 ? "process " + std::string(holder, strcspn(holder, "\n")) : "another process",
           lock_.string());
    }
    // The holder before may have taken its lock away between our opening and locking it: then what
    // is locked here is no longer what others find.
    struct stat here {
    }, there{};
    if (fstat(file_, &here) == 0 && stat(lock_.c_str(), &there) == 0 &&
        here.st_ino == there.st_ino && here.st_dev == there.st_dev)
      break;
    calls.close(file_);
  }
  // Who holds it is told for convenience: a full disk does not make it less of a lock.
  const std::string process = std::to_string(getpid()) + "\n";
  if (ftruncate(file_, 0) == 0) calls.write(file_, process.data(), process.size());
}

FileLock::~FileLock() {
  file_calls().unlink(lock_.c_str());
  file_calls().close(file_);
}

}  // namespace vargp
