#include "vargp/data/idx.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>

#include "vargp/core/error.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;

constexpr std::uint8_t kUnsignedByte = 8;
// No deflate stream grows more than 1032 times; a little is added for its first block.
constexpr std::uint64_t kLargestRatio = 1032;
constexpr std::size_t kStep = std::size_t{1} << 20;

// Reads plain files and gzip files alike.
class Reader {
 public:
  explicit Reader(const fs::path& path) : path_(path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    require(fs::exists(status), "{}: there is no such file", path.string());
    require(fs::is_regular_file(status), "{}: not a file", path.string());
    size_ = fs::file_size(path, error);
    errno = 0;
    if (!error) file_.reset(gzopen(path.c_str(), "rb"));
    require(file_ != nullptr, "{}: cannot be read: {}", path.string(),
            error ? error.message() : std::strerror(errno));
  }

  // At most size bytes into out; fewer only at the end of the file.
  std::size_t read(std::uint8_t* out, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
      const int n =
          gzread(file_.get(), out + done, static_cast<unsigned>(std::min(size - done, kStep)));
      int code = Z_OK;
      const char* message = gzerror(file_.get(), &code);
      require(n >= 0 && (code == Z_OK || code == Z_STREAM_END),
              "{}: the gzip data are damaged or cut short: {}", path_.string(), message);
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

  // More bytes than this cannot be in the file.
  std::uint64_t most_bytes() const {
    return gzdirect(file_.get()) ? size_ : (size_ + 64) * kLargestRatio;
  }

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  fs::path path_;
  std::uint64_t size_ = 0;
  std::unique_ptr<std::remove_pointer_t<gzFile>, Close> file_;
};

std::string shape_text(const std::vector<Index>& shape) {
  std::string text;
  for (const Index size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

}  // namespace

IdxArray read_idx(const fs::path& path) {
  const std::string name = path.string();
  Reader reader(path);
  std::uint8_t magic[4] = {};
  const std::size_t got = reader.read(magic, 4);
  require(got == 4, "{}: {} bytes, expected an IDX header of 4 or more", name, got);
  require(magic[0] == 0 && magic[1] == 0,
          "{}: the magic number begins with {} {}, expected 0 0 (is it an IDX file?)", name,
          magic[0], magic[1]);
  require(magic[2] == kUnsignedByte, "{}: values of type {:#04x}, expected 0x08, unsigned bytes",
          name, magic[2]);
  require(magic[3] >= 1 && magic[3] <= 8, "{}: {} dimensions, expected 1 to 8", name, magic[3]);

  IdxArray out;
  std::uint64_t claimed = 1;
  const std::uint64_t most = reader.most_bytes();
  for (int d = 0; d < magic[3]; ++d) {
    std::uint8_t bytes[4];
    require(reader.read(bytes, 4) == 4, "{}: ends within the header, at the size of dimension {}",
            name, d);
    const std::uint64_t size = std::uint64_t{bytes[0]} << 24 | std::uint64_t{bytes[1]} << 16 |
                               std::uint64_t{bytes[2]} << 8 | bytes[3];
    require(size > 0, "{}: dimension {} has the size 0, expected 1 or more", name, d);
    out.shape.push_back(static_cast<Index>(size));
    // Divided, not multiplied: the product could wrap around.
    require(size <= most / claimed,
            "{}: the header claims {} values or more, but the file holds "
            "{} bytes at most",
            name, shape_text(out.shape), most);
    claimed *= size;
  }

  // Room is made as values arrive, not as the header claims.
  while (out.values.size() < claimed) {
    const std::size_t at = out.values.size();
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(kStep, claimed - at));
    if (out.values.capacity() < at + step)
      out.values.reserve(std::min<std::uint64_t>(claimed, 2 * at + step));
    out.values.resize(at + step);
    const std::size_t n = reader.read(out.values.data() + at, step);
    require(n == step, "{}: {} values, expected {} ({})", name, at + n, claimed,
            shape_text(out.shape));
  }
  std::uint8_t extra = 0;
  require(reader.read(&extra, 1) == 0, "{}: more than the {} values that the header claims ({})",
          name, claimed, shape_text(out.shape));
  return out;
}

Dataset read_idx_images(const fs::path& images, const fs::path& labels, int C) {
  const IdxArray pixels = read_idx(images), classes = read_idx(labels);
  require(pixels.shape.size() == 3, "{}: {} dimensions, expected 3 (pictures, rows, columns)",
          images.string(), pixels.shape.size());
  require(classes.shape.size() == 1, "{}: {} dimensions, expected 1 (labels)", labels.string(),
          classes.shape.size());
  require(pixels.shape[0] == classes.shape[0], "{} has {} pictures, but {} has {} labels",
          images.string(), pixels.shape[0], labels.string(), classes.shape[0]);
  Dataset data;
  data.C = C;
  data.image_rows = pixels.shape[1];
  data.image_cols = pixels.shape[2];
  const Index N = pixels.shape[0], D = data.image_rows * data.image_cols;
  data.X =
      Eigen::Map<const RowMat<std::uint8_t>>(pixels.values.data(), N, D).cast<float>() / 255.0f;
  data.y.reserve(classes.values.size());
  for (const int label : classes.values) {
    require(label < C, "{}, label {}: class {}, expected 0 to {}", labels.string(), data.y.size(),
            label, C - 1);
    data.y.push_back(label);
  }
  return data;
}

}  // namespace vargp
