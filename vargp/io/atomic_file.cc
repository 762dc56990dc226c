#include "vargp/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "vargp/core/error.h"
#include "vargp/io/file_calls.h"

namespace vargp {

namespace fs = std::filesystem;

AtomicFile::AtomicFile(const fs::path& path) : path_(path) {
  require(path.has_filename(), "{}: not the name of a file", path.string());
  std::error_code ignored;
  if (fs::is_symlink(path, ignored)) path_ = fs::weakly_canonical(path, ignored);
  require(!fs::is_directory(path_, ignored), "{}: cannot be written: it is a folder",
          path.string());
  static std::atomic<unsigned> number = 0;
  temporary_ = path_;
  temporary_ += fmt::format(".{}.{}.tmp", getpid(), number++);
  file_ = file_calls().open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) give_up("cannot be written");
  struct stat old {};
  if (stat(path_.c_str(), &old) == 0 && file_calls().fchmod(file_, old.st_mode & 07777) != 0)
    give_up("its permissions cannot be kept");
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) file_calls().close(file_);
  if (!temporary_.empty()) file_calls().unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  VARGP_CHECK(file_ >= 0);
  while (!bytes.empty()) {
    const ssize_t n = file_calls().write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) give_up("cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void AtomicFile::commit() {
  VARGP_CHECK(file_ >= 0);
  const FileCalls& calls = file_calls();
  if (calls.fsync(file_) != 0) give_up("cannot be synced to the disk");
  if (calls.close(std::exchange(file_, -1)) != 0) give_up("cannot be closed");
  if (calls.rename(temporary_.c_str(), path_.c_str()) != 0) give_up("cannot be replaced");
  temporary_.clear();
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  const int directory = calls.open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  const bool synced = directory >= 0 && calls.fsync(directory) == 0;
  const int error = errno;
  if (directory >= 0) calls.close(directory);
  // Some file systems cannot sync folders, and say so with EINVAL.
  require(synced || error == EINVAL, "{}: written, but its folder cannot be synced to the disk: {}",
          path_.string(), std::strerror(error));
}

// The destructor does not run where the constructor throws: what was made is taken back here.
void AtomicFile::give_up(std::string_view doing) {
  const int error = errno;
  if (file_ >= 0) {
    file_calls().close(std::exchange(file_, -1));
    file_calls().unlink(temporary_.c_str());
  }
  fail("{}: {}: {}", path_.string(), doing, std::strerror(error));
}

void remove_leftovers(const fs::path& path) {
  std::error_code ignored;
  const fs::path target =
      fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : path;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(target.filename().string() + ".") && name.ends_with(".tmp"))
      fs::remove(entry.path(), ignored);
  }
}

void write_file(const fs::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace vargp
