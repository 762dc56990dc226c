// A file that is written whole or not at all.
//
// The bytes go to a temporary file in the same folder, which is synced to the disk and then renamed
// over the old one, and the folder is synced: whoever reads the path, at any time and after a crash
// at any time, finds the old file or the new one. Errors name the path and leave the old file; only
// where the folder itself cannot be synced, after the renaming, there is the new one.
#pragma once

#include <filesystem>
#include <string_view>

namespace vargp {

class AtomicFile {
 public:
  // A symbolic link is followed: the file that it points to is the one replaced.
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();  // without commit(), nothing has happened
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void give_up(std::string_view doing);

  std::filesystem::path path_, temporary_;
  int file_ = -1;
};

// Removes what programs that were killed while they wrote this file have left. For whoever is the
// only one to write it.
void remove_leftovers(const std::filesystem::path& path);

void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace vargp
