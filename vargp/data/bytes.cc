#include "vargp/data/bytes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "vargp/core/error.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = std::size_t{1} << 16;
constexpr std::string_view kGzip = "\x1f\x8b";
// No deflate stream grows more than 1032 times; a little is added for its first block.
constexpr std::uint64_t kLargestRatio = 1032;

class File final : public Bytes {
 public:
  // Standard input where the path is "-".
  explicit File(const fs::path& path)
      : Bytes(path == "-" ? "standard input" : path.string()),
        file_(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    require(file_ >= 0 || errno != ENOENT, "{}: there is no such file", name());
    struct stat about {};
    const bool known = file_ >= 0 && fstat(file_, &about) == 0;
    const int error = errno;
    const bool folder = known && S_ISDIR(about.st_mode);
    regular_ = known && S_ISREG(about.st_mode);
    if (regular_) size_ = static_cast<std::uint64_t>(about.st_size);
    if ((!known || folder) && file_ > STDIN_FILENO) close(file_);  // no destructor after a throw
    require(known, "{}: cannot be read: {}", name(), std::strerror(error));
    require(!folder, "{}: not a file", name());
  }
  ~File() override {
    if (file_ != STDIN_FILENO) close(file_);
  }

  // Standard input may have been read in part before it came here.
  std::uint64_t most() const override { return size_; }

  bool ready() override {
    if (regular_) return true;
    pollfd waiting{file_, POLLIN, 0};
    return poll(&waiting, 1, 0) > 0;
  }

  bool read_at(std::uint64_t offset, char* out, std::size_t size) override {
    if (!regular_ || file_ == STDIN_FILENO) return false;
    while (size > 0) {
      const ssize_t n = pread(file_, out, size, static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      require(n >= 0, "{}: cannot be read: {}", name(), std::strerror(errno));
      require(n > 0, "{}: ended early, at byte {}", name(), offset);
      out += n;
      offset += static_cast<std::uint64_t>(n);
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }

 protected:
  std::size_t get(char* out, std::size_t size) override {
    ssize_t n = 0;
    do n = ::read(file_, out, size);
    while (n < 0 && errno == EINTR);
    require(n >= 0, "{}: cannot be read: {}", name(), std::strerror(errno));
    return static_cast<std::size_t>(n);
  }

 private:
  int file_;
  bool regular_ = false;
  std::uint64_t size_ = kUnknown;
};

class Memory : public Bytes {
 public:
  Memory(std::string name, std::string_view content)
      : Bytes(std::move(name)), content_(content), rest_(content) {}
  std::uint64_t most() const override { return content_.size(); }
  bool read_at(std::uint64_t offset, char* out, std::size_t size) override {
    require(offset <= content_.size() && size <= content_.size() - offset,
            "{}: ended early, at byte {}", name(), content_.size());
    std::copy_n(content_.data() + offset, size, out);
    return true;
  }

 protected:
  std::size_t get(char* out, std::size_t size) override {
    const std::size_t n = rest_.copy(out, size);
    rest_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view content_, rest_;
};

// The same, and the memory is its own.
class Held final : public Memory {
 public:
  Held(std::string name, std::unique_ptr<std::string> content)
      : Memory(std::move(name), *content), owned_(std::move(content)) {}

 private:
  std::unique_ptr<std::string> owned_;
};

// One gzip member after the other, as gzip itself has it.
class Gunzip final : public Bytes {
 public:
  explicit Gunzip(std::unique_ptr<Bytes> packed)
      : Bytes(packed->name()), packed_(std::move(packed)), in_(kBlock) {
    VARGP_CHECK(inflateInit2(&stream_, 15 + 16) == Z_OK);  // 16: gzip's header and checksum
  }
  ~Gunzip() override { inflateEnd(&stream_); }

  std::uint64_t most() const override {
    const std::uint64_t size = packed_->most();
    return size < kUnknown / kLargestRatio - 64 ? (size + 64) * kLargestRatio : kUnknown;
  }
  bool ready() override { return stream_.avail_in > 0 || packed_->ready(); }

 protected:
  std::size_t get(char* out, std::size_t size) override {
    size = std::min<std::size_t>(size, std::numeric_limits<uInt>::max());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0) {
        stream_.next_in = in_.data();
        stream_.avail_in =
            static_cast<uInt>(packed_->read(reinterpret_cast<char*>(in_.data()), in_.size()));
      }
      if (stream_.avail_in == 0) {
        require(ended_, "{}: the gzip data are damaged or cut short: they end too early", name());
        return 0;
      }
      if (ended_) inflateReset(&stream_);  // the next member
      const int code = inflate(&stream_, Z_NO_FLUSH);
      require(code == Z_OK || code == Z_STREAM_END,
              "{}: the gzip data are damaged or cut short: {}", name(),
              stream_.msg != nullptr ? stream_.msg : zError(code));
      ended_ = code == Z_STREAM_END;
    }
    return size - stream_.avail_out;
  }

 private:
  std::unique_ptr<Bytes> packed_;
  std::vector<Bytef> in_;
  z_stream stream_{};
  bool ended_ = false;
};

}  // namespace

std::size_t Bytes::read(char* out, std::size_t size) {
  if (peeked_.empty()) return get(out, size);
  const std::size_t n = peeked_.copy(out, size);
  peeked_.erase(0, n);
  return n;
}

std::size_t Bytes::fill(char* out, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const std::size_t n = read(out + done, size - done);
    if (n == 0) break;
    done += n;
  }
  return done;
}

std::string_view Bytes::peek(std::size_t size) {
  while (peeked_.size() < size) {
    const std::size_t had = peeked_.size();
    peeked_.resize(std::min(size, had + kBlock));
    const std::size_t n = get(peeked_.data() + had, peeked_.size() - had);
    peeked_.resize(had + n);
    if (n == 0) break;
  }
  return std::string_view(peeked_).substr(0, size);
}

bool Bytes::read_at(std::uint64_t, char*, std::size_t) { return false; }

std::unique_ptr<Bytes> bytes_in_memory(std::string name, std::string_view content) {
  return std::make_unique<Memory>(std::move(name), content);
}

std::unique_ptr<Bytes> unpacked(std::unique_ptr<Bytes> packed) {
  if (packed->peek(kGzip.size()) != kGzip) return packed;
  return std::make_unique<Gunzip>(std::move(packed));
}

std::unique_ptr<Bytes> open_bytes(const fs::path& path) {
  return unpacked(std::make_unique<File>(path));
}

std::unique_ptr<Bytes> held(std::unique_ptr<Bytes> bytes, std::string_view why) {
  if (bytes->read_at(0, nullptr, 0)) return bytes;
  auto all = std::make_unique<std::string>();
  for (std::size_t had = 0;;) {
    all->resize(had + std::min(std::max(had, kBlock), kMostHeld + 1 - had));
    const std::size_t n = bytes->fill(all->data() + had, all->size() - had);
    const bool ended = had + n < all->size();
    had += n;
    require(had <= kMostHeld, "{}: {}, and it unpacks to more than {} MB", bytes->name(), why,
            kMostHeld >> 20);
    if (!ended) continue;
    all->resize(had);
    return std::make_unique<Held>(bytes->name(), std::move(all));
  }
}

}  // namespace vargp
