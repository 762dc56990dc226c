#include "vargp/data/npy.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "vargp/core/error.h"
#include "vargp/data/cell.h"

namespace vargp {
namespace {

constexpr std::size_t kLongestHeader = std::size_t{1} << 16;

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

// Reads the one dictionary of Python that a header is, and no other.
class HeaderParser {
 public:
  HeaderParser(const std::string& file, std::string_view text) : file_(file), rest_(text) {}

  Header parse() {
    Header header;
    std::set<std::string> keys;
    take("{");
    while (!takes("}")) {
      const std::string key = quoted("a key in quotes");
      need(keys.insert(key).second, "each key once");
      require(key == "descr" || key == "fortran_order" || key == "shape",
              "{}: the header has a key {}, expected descr, fortran_order and shape", file_,
              shown(key));
      take(":");
      if (key == "descr") {
        need(!next_is('['), "one type for all values, no record");
        header.descr = quoted("a type in quotes");
      } else if (key == "fortran_order") {
        header.fortran_order = takes("True");
        if (!header.fortran_order) take("False");
      } else {
        header.shape = shape();
      }
      if (!takes(",")) {
        take("}");
        break;
      }
    }
    skip_blanks();
    need(rest_.empty(), "nothing after }");
    for (const char* key : {"descr", "fortran_order", "shape"})
      require(keys.contains(key), "{}: the header has no {}", file_, key);
    return header;
  }

 private:
  void need(bool rule, std::string_view expected) const {
    if (!rule) fail("{}: the header has {}, expected {}", file_, shown(rest_), expected);
  }
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size()));
  }
  bool next_is(char c) {
    skip_blanks();
    return rest_.starts_with(c);
  }
  bool takes(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void take(std::string_view word) { need(takes(word), word); }

  std::string quoted(const char* expected) {
    skip_blanks();
    need(next_is('\'') || next_is('"'), expected);
    const auto end = rest_.find(rest_[0], 1);
    need(end != std::string_view::npos, expected);
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> sizes;
    take("(");
    while (!takes(")")) {
      skip_blanks();
      std::uint64_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      need(error == std::errc(), "a size below 2^64");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      takes("L");  // as Python 2 wrote them
      sizes.push_back(size);
      need(sizes.size() <= 8, "at most 8 dimensions");
      if (!takes(",")) {
        take(")");
        break;
      }
    }
    return sizes;
  }

  const std::string& file_;
  std::string_view rest_;
};

// '<f8' and the like.
void set_type(Array& array, const std::string& descr) {
  const auto need = [&](bool rule) {
    if (!rule)
      fail(
          "{}: values of type {}, expected numbers (b1, i1 to i8, u1 to u8, f2 to f8) or texts "
          "(U, S)",
          array.bytes->name(), shown(descr));
  };
  need(descr.size() >= 3 && std::string_view("<>|=").find(descr[0]) != std::string_view::npos);
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), size);
  need(error == std::errc() && end == descr.data() + descr.size());
  array.kind = descr[1];
  array.swapped = descr[0] == '>';
  const auto one_of = [&](std::initializer_list<std::size_t> sizes) {
    return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
  };
  switch (array.kind) {
    case 'b':
      need(one_of({1}));
      break;
    case 'i':
    case 'u':
      need(one_of({1, 2, 4, 8}));
      break;
    case 'f':
      need(one_of({2, 4, 8}));
      break;
    case 'U':
    case 'S':
      need(size > 0 && size < kLongestHeader);
      break;
    default:
      need(false);
  }
  array.item = array.kind == 'U' ? 4 * size : size;
}

}  // namespace

Array open_npy(std::unique_ptr<Bytes> bytes, std::string_view prefix) {
  const std::string name = bytes->name();
  std::string start(12, '\0');
  start.resize(bytes->fill(start.data(), 8));
  require(start.size() == 8 && start.starts_with(kNpyMagic), "{}: expected an NPY file", name);
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(start[i]));
  };
  const std::size_t version = byte(6), width = version == 1 ? 2 : 4;
  require(version >= 1 && version <= 3, "{}: NPY version {}, expected 1 to 3", name, version);
  start.resize(8 + width);
  require(bytes->fill(start.data() + 8, width) == width, "{}: ends within the header", name);
  std::size_t length = 0;
  for (std::size_t i = 0; i < width; ++i) length |= byte(8 + i) << 8 * i;
  require(length <= kLongestHeader, "{}: the header claims {} bytes, expected at most {}", name,
          length, kLongestHeader);
  std::string text(length, '\0');
  require(bytes->fill(text.data(), length) == length, "{}: ends within the header", name);
  const Header header = HeaderParser(name, text).parse();
  const std::size_t dimensions = header.shape.size();
  require(dimensions > 0, "{}: one value without dimensions, expected a table", name);

  Array array;
  array.bytes = std::move(bytes);
  set_type(array, header.descr);
  array.offset = start.size() + length;
  const Index columns = set_shape(array, header.shape, array.offset);
  array.columns = numbered(prefix, columns);
  // With one row or one column, both orders are the same.
  array.by_columns = header.fortran_order && array.rows > 1 && columns > 1;
  if (!array.by_columns) return array;
  require(dimensions == 2, "{}: {} dimensions in Fortran order, expected 2", name, dimensions);
  const Bytes* before = array.bytes.get();
  array.bytes = held(std::move(array.bytes), "values in Fortran order are needed all at once");
  if (array.bytes.get() != before) array.offset = 0;
  const std::uint64_t end =
      array.offset + static_cast<std::uint64_t>(array.rows * columns) * array.item;
  require(array.bytes->most() == end, "{}: has {} bytes, expected {}", name, array.bytes->most(),
          end);
  return array;
}

}  // namespace vargp
