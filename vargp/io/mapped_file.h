// A file's bytes without reading them into memory of our own: the system brings in the pages that
// are looked at. Files that are replaced whole (AtomicFile) stay as they are while they are mapped.
#pragma once

#include <filesystem>
#include <string_view>

namespace vargp {

class MappedFile {
 public:
  // An Error names a file that cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace vargp
