// Two programs may not change one file at the same time: what the second learned would be lost.
//
// A lock is a file beside it, FILE.lock, locked with flock and with the holder's process id inside.
// The system frees it when the holder ends, however it ends; a FILE.lock that is left over locks
// nothing. Readers need no lock: files are replaced whole (AtomicFile).
#pragma once

#include <filesystem>

namespace vargp {

class FileLock {
 public:
  // Does not wait: an Error names the file and the process that holds it. The file itself need not
  // be there yet. A symbolic link is followed, as AtomicFile does.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path lock_;
  int file_ = -1;
};

}  // namespace vargp
