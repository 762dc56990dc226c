#include "cli/show.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>

#include "vargp/core/error.h"
#include "vargp/io/atomic_file.h"

namespace vargp {
namespace {

// Characters, not bytes (UTF-8).
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

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

std::string grouped(Index number) {
  const std::string digits = std::to_string(std::abs(number));
  std::string out;
  if (number < 0) out += '-';
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string size_of_bytes(std::size_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1e3) return fmt::format("{} bytes", bytes);
  if (size < 1e6) return fmt::format("{:.1f} kB", size / 1e3);
  if (size < 1e9) return fmt::format("{:.1f} MB", size / 1e6);
  return fmt::format("{:.1f} GB", size / 1e9);
}

std::string duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{}:{:02} min", static_cast<int>(seconds) / 60,
                     static_cast<int>(seconds) % 60);
}

TextTable::TextTable(std::vector<std::string> head, std::string alignment)
    : rows_{std::move(head)}, alignment_(std::move(alignment)) {
  if (alignment_.empty()) {
    alignment_.assign(rows_[0].size(), 'r');
    alignment_[0] = 'l';
  }
}

void TextTable::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

std::string TextTable::text(std::string_view indent) const {
  std::vector<std::size_t> widths(rows_[0].size());
  for (const auto& row : rows_)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width_of(row[k]));
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string space(widths[k] - width_of(row[k]), ' ');
      if (k > 0) line += "  ";
      line += alignment_[k] == 'l' ? row[k] + space : space + row[k];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

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
