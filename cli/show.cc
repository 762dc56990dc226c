#include "cli/show.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>

#include "vargp/core/error.h"
#include "vargp/io/atomic_file.h"

namespace vargp {
namespace {

void put_number(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
}

// A part of a PNG: length, name, content, checksum.
void put_part(std::string& out, const std::string& name, const std::string& content) {
  put_number(out, static_cast<std::uint32_t>(content.size()));
  const std::string body = name + content;
  out += body;
  put_number(out, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                                   static_cast<uInt>(body.size()))));
}

std::string png(const RowMat<double>& grey) {
  std::string raw;
  for (Index i = 0; i < grey.rows(); ++i) {
    raw += '\0';  // the row as it is, no filter
    for (Index j = 0; j < grey.cols(); ++j)
      raw += static_cast<char>(std::lround(255 * std::clamp(grey(i, j), 0.0, 1.0)));
  }
  uLongf size = compressBound(raw.size());
  std::string packed(size, '\0');
  VARGP_CHECK(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                       reinterpret_cast<const Bytef*>(raw.data()), raw.size()) == Z_OK);
  packed.resize(size);
  std::string head;
  put_number(head, static_cast<std::uint32_t>(grey.cols()));
  put_number(head, static_cast<std::uint32_t>(grey.rows()));
  head += std::string("\x08\x00\x00\x00\x00", 5);  // 8 bits, grey
  std::string out = "\x89PNG\r\n\x1A\n";
  put_part(out, "IHDR", head);
  put_part(out, "IDAT", packed);
  put_part(out, "IEND", "");
  return out;
}

std::string pgm(const RowMat<double>& grey) {
  std::string out = fmt::format("P5\n{} {}\n255\n", grey.cols(), grey.rows());
  for (const double x : grey.reshaped<Eigen::RowMajor>())
    out += static_cast<char>(std::lround(255 * std::clamp(x, 0.0, 1.0)));
  return out;
}

}  // namespace

std::string blocks(const std::vector<RowMat<double>>& pictures, std::string_view indent) {
  static constexpr const char* kShades[] = {" ", "░", "▒", "▓", "█"};
  if (pictures.empty()) return "";
  const Index rows = pictures[0].rows(), cols = pictures[0].cols();
  std::string out;
  for (Index i = 0; i < rows; i += 2) {  // a character is about twice as high as it is wide
    std::string line(indent);
    for (const auto& picture : pictures) {
      for (Index j = 0; j < cols; ++j) {
        const double shade = picture.block(i, j, std::min<Index>(2, rows - i), 1).mean();
        line += kShades[std::clamp<long>(std::lround(4 * shade), 0, 4)];
      }
      line += "  ";
    }
    out += line + "\n";
  }
  return out;
}

void write_sheet(const std::filesystem::path& path, const std::vector<RowMat<double>>& pictures,
                 Index across) {
  require(path.extension() == ".png" || path.extension() == ".pgm",
          "{}: pictures are written as .png or .pgm", path.string());
  VARGP_CHECK(!pictures.empty() && across > 0);
  const Index rows = pictures[0].rows(), cols = pictures[0].cols(), gap = 2;
  const Index down = (std::ssize(pictures) + across - 1) / across;
  RowMat<double> sheet =
      RowMat<double>::Ones(down * (rows + gap) + gap, across * (cols + gap) + gap);
  for (Index k = 0; k < std::ssize(pictures); ++k)
    sheet.block(gap + k / across * (rows + gap), gap + k % across * (cols + gap), rows, cols) =
        pictures[static_cast<std::size_t>(k)];
  write_file(path, path.extension() == ".png" ? png(sheet) : pgm(sheet));
}

}  // namespace vargp
