// Where the bytes of a data file come from: a file, standard input, memory, or what another source
// unpacks to. Readers take this and nothing else, so that each reads plain files, gzip files and
// pipes alike, and can be tested without a file.
//
// Nothing is trusted: bytes are handed out as they arrive, and a claim about sizes can be held
// against most(). Errors name the source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace vargp {

class Bytes {
 public:
  static constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

  explicit Bytes(std::string name) : name_(std::move(name)) {}
  virtual ~Bytes() = default;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  const std::string& name() const { return name_; }

  // As many as there are without waiting for more, at most size, at least one; 0 is the end.
  std::size_t read(char* out, std::size_t size);
  // Waits for all; fewer only at the end.
  std::size_t fill(char* out, std::size_t size);
  // The next bytes, which stay to be read; fewer only at the end.
  std::string_view peek(std::size_t size);

  // More bytes than this cannot come, from the beginning to the end.
  virtual std::uint64_t most() const { return kUnknown; }
  // Will read() return at once?
  virtual bool ready() { return true; }
  // Bytes from anywhere, where that can be had (a file or memory): false where it cannot, an Error
  // where there are fewer.
  virtual bool read_at(std::uint64_t offset, char* out, std::size_t size);

 protected:
  virtual std::size_t get(char* out, std::size_t size) = 0;

 private:
  std::string name_;
  std::string peeked_;
};

// "-" is standard input. What is packed with gzip is unpacked, whatever its name.
std::unique_ptr<Bytes> open_bytes(const std::filesystem::path& path);

// The same for what is in memory, which must stay there.
std::unique_ptr<Bytes> bytes_in_memory(std::string name, std::string_view content);
// The same for bytes from anywhere: unpacked if they are packed with gzip.
std::unique_ptr<Bytes> unpacked(std::unique_ptr<Bytes> packed);

// The same bytes with read_at(), for formats that cannot be read from front to back: themselves
// where they have it, else all that comes, held in memory. That grows with what arrives; more than
// kMostHeld is an Error that says why all of it is needed.
constexpr std::size_t kMostHeld = std::size_t{1} << 28;
std::unique_ptr<Bytes> held(std::unique_ptr<Bytes> bytes, std::string_view why);

}  // namespace vargp
