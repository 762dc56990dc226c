#include "vargp/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "vargp/core/error.h"

namespace vargp {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(file >= 0, "{}: cannot be read: {}", path.string(), std::strerror(errno));
  struct stat about {};
  const bool regular = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
  const auto size = static_cast<std::size_t>(about.st_size);
  void* at = MAP_FAILED;
  if (regular && size > 0) at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  close(file);
  require(regular, "{}: cannot be read: it is not a file", path.string());
  if (size == 0) return;  // which cannot be mapped
  require(at != MAP_FAILED, "{}: cannot be read: {}", path.string(), std::strerror(error));
  bytes_ = {static_cast<const char*>(at), size};
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  munmap(const_cast<char*>(bytes_.data()), bytes_.size());  // NOLINT: its own interface
}

}  // namespace vargp
