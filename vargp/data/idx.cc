#include "vargp/data/idx.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "vargp/core/error.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;

constexpr std::uint8_t kUnsignedByte = 8;
constexpr std::size_t kStep = std::size_t{1} << 20;
constexpr double kWhite = 255;

// Reads the header. What the sizes claim has not been checked yet.
std::vector<std::uint64_t> read_shape(Bytes& bytes) {
  const std::string& name = bytes.name();
  std::uint8_t magic[4] = {};
  const std::size_t got = bytes.fill(reinterpret_cast<char*>(magic), 4);
  require(got == 4, "{}: {} bytes, expected an IDX header of 4 or more", name, got);
  require(magic[0] == 0 && magic[1] == 0,
          "{}: the magic number begins with {} {}, expected 0 0 (is it an IDX file?)", name,
          magic[0], magic[1]);
  require(magic[2] == kUnsignedByte, "{}: values of type {:#04x}, expected 0x08, unsigned bytes",
          name, magic[2]);
  require(magic[3] >= 1 && magic[3] <= 8, "{}: {} dimensions, expected 1 to 8", name, magic[3]);
  std::vector<std::uint64_t> shape;
  for (int d = 0; d < magic[3]; ++d) {
    std::uint8_t size[4];
    require(bytes.fill(reinterpret_cast<char*>(size), 4) == 4,
            "{}: ends within the header, at the size of dimension {}", name, d);
    shape.push_back(std::uint64_t{size[0]} << 24 | std::uint64_t{size[1]} << 16 |
                    std::uint64_t{size[2]} << 8 | size[3]);
  }
  return shape;
}

std::uint64_t header_size(const std::vector<std::uint64_t>& shape) { return 4 + 4 * shape.size(); }

}  // namespace

Array open_idx(std::unique_ptr<Bytes> bytes) {
  Array array;
  array.bytes = std::move(bytes);
  array.kind = 'u';
  array.item = 1;
  const auto shape = read_shape(*array.bytes);
  const Index columns = set_shape(array, shape, header_size(shape));
  array.columns = numbered("p", columns);
  array.divisor = kWhite;
  if (shape.size() == 1) {
    array.columns = {"label"};
    array.divisor = 1;
  }
  return array;
}

fs::path idx_labels_beside(const fs::path& images) {
  const std::string pictures = "images", labels = "labels";
  std::string name = images.filename().string();
  const auto at = name.find(pictures);
  const auto idx3 = name.find("idx3", at == std::string::npos ? at : at + pictures.size());
  if (at == std::string::npos || idx3 == std::string::npos) return {};
  name.replace(idx3, 4, "idx1").replace(at, pictures.size(), labels);
  // Either may be packed without the other.
  const std::string plain = name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name;
  for (const std::string& candidate : {name, plain, plain + ".gz"}) {
    std::error_code ignored;
    if (fs::exists(images.parent_path() / candidate, ignored))
      return images.parent_path() / candidate;
  }
  return {};
}

IdxArray read_idx(const fs::path& path) {
  const auto bytes = open_bytes(path);
  const std::string& name = bytes->name();
  const auto shape = read_shape(*bytes);
  const std::uint64_t claimed = claimed_values(*bytes, shape, 1, header_size(shape));
  IdxArray out;
  out.shape.assign(shape.begin(), shape.end());
  // Room is made as values arrive, not as the header claims.
  while (out.values.size() < claimed) {
    const std::size_t at = out.values.size();
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(kStep, claimed - at));
    if (out.values.capacity() < at + step)
      out.values.reserve(std::min<std::uint64_t>(claimed, 2 * at + step));
    out.values.resize(at + step);
    const std::size_t n = bytes->fill(reinterpret_cast<char*>(out.values.data()) + at, step);
    require(n == step, "{}: {} values, expected {} ({})", name, at + n, claimed, shape_text(shape));
  }
  char extra = 0;
  require(bytes->read(&extra, 1) == 0, "{}: more than the {} values that the header claims ({})",
          name, claimed, shape_text(shape));
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
