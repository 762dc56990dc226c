#include "vargp/data/arrays.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "vargp/core/error.h"
#include "vargp/data/cell.h"

namespace vargp {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;       // bytes decoded at a time
constexpr std::size_t kLongestRow = std::size_t{1} << 24;  // no row may need more memory
constexpr std::uint64_t kMostClaimed = std::uint64_t{1} << 62;

// count values, which stand beside each other, into every stride-th place of out.
template <class T, class Convert>
void decode(const char* in, std::size_t count, bool swapped, double* out, std::size_t stride,
            Convert convert) {
  for (std::size_t i = 0; i < count; ++i) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, in + i * sizeof(T), sizeof(T));
    if (swapped) std::reverse(bytes, bytes + sizeof(T));
    out[i * stride] = convert(std::bit_cast<T>(bytes));
  }
}

void decode(const Array& a, const char* in, std::size_t count, double* out, std::size_t stride) {
  const auto as = [&]<class T>(T) {
    decode<T>(in, count, a.swapped, out, stride,
              [&](T value) { return static_cast<double>(value) / a.divisor; });
  };
  // As the one of these types that has the size.
  const auto as_one = [&](auto... types) {
    (void)((sizeof(types) == a.item && (as(types), true)) || ...);
  };
  if (a.kind == 'i') as_one(std::int8_t{}, std::int16_t{}, std::int32_t{}, std::int64_t{});
  if (a.kind == 'u') as_one(std::uint8_t{}, std::uint16_t{}, std::uint32_t{}, std::uint64_t{});
  if (a.kind == 'f') as_one(float{}, double{});
  if (a.kind == 'f' && a.item == 2)
    decode<std::uint16_t>(in, count, a.swapped, out, stride, [](std::uint16_t bits) {
      return static_cast<double>(
          Eigen::half_impl::half_to_float(Eigen::half_impl::raw_uint16_to_half(bits)));
    });
  if (a.kind == 'b')
    decode<std::uint8_t>(in, count, false, out, stride,
                         [](std::uint8_t value) { return value != 0 ? 1.0 : 0.0; });
}

// A text of fixed width, without the zeros that fill it up. What is no character becomes a byte
// that is not UTF-8, and is refused for that.
std::string decode_text(const Array& a, const char* in) {
  std::string out;
  if (a.kind == 'S') {
    out.assign(in, a.item);
  } else {
    for (std::size_t i = 0; i < a.item; i += 4) {
      char bytes[4];
      std::memcpy(bytes, in + i, 4);
      if (a.swapped) std::reverse(bytes, bytes + 4);
      append_utf8(out, std::bit_cast<char32_t>(bytes));
    }
  }
  out.erase(out.find_last_not_of('\0') + 1);
  return out;
}

class ArrayTable final : public TableReader {
 public:
  ArrayTable(std::string name, std::vector<Array> arrays)
      : TableReader(std::move(name)), arrays_(std::move(arrays)) {
    std::vector<std::string> columns;
    for (const Array& a : arrays_) {
      require(a.rows == arrays_[0].rows, "{} has {} rows, but {} has {}", a.bytes->name(), a.rows,
              arrays_[0].bytes->name(), arrays_[0].rows);
      columns.insert(columns.end(), a.columns.begin(), a.columns.end());
      guess_.insert(guess_.end(), a.columns.size(),
                    a.is_text() ? CellKind::kText : CellKind::kNumber);
    }
    set_columns(std::move(columns));
    set_image(arrays_[0].image_rows, arrays_[0].image_cols);
  }

  std::vector<CellKind> guess() const override { return guess_; }

 protected:
  void get(TableChunk& chunk, Index max_rows) override {
    chunk.rows = std::min(max_rows, arrays_[0].rows - done_);
    for (Index i = 0; i < chunk.rows; ++i) chunk.line.push_back(done_ + 1 + i);
    Columns at;
    for (Array& a : arrays_) {
      const std::size_t row = a.columns.size() * a.item;
      const auto step = static_cast<Index>(std::max<std::size_t>(1, kBlock / row));
      Columns next;
      for (Index i = 0; i < chunk.rows; i += step)
        next = put(a, load(a, i, std::min(step, chunk.rows - i)), chunk, i, at);
      at = next;
    }
    done_ += chunk.rows;
    if (done_ < arrays_[0].rows) return;
    for (Array& a : arrays_) {
      char extra = 0;
      require(a.by_columns || a.bytes->read(&extra, 1) == 0,
              "{}: more bytes than the {} rows that the header claims", a.bytes->name(), a.rows);
    }
  }

 private:
  // Where the columns of an array begin: in the table, and in a chunk.
  struct Columns {
    std::size_t table = 0;
    Index number = 0;
    std::size_t text = 0;
  };

  // The bytes of that many rows, from the given one of the chunk, into raw_.
  Index load(Array& a, Index from, Index rows) {
    const std::size_t n = static_cast<std::size_t>(rows) * a.item;
    raw_.resize(n * a.columns.size());
    if (a.by_columns) {
      for (std::size_t c = 0; c < a.columns.size(); ++c)
        a.bytes->read_at(a.offset + (c * static_cast<std::size_t>(a.rows) +
                                     static_cast<std::size_t>(done_ + from)) *
                                        a.item,
                         raw_.data() + c * n, n);
    } else {
      const std::size_t got = a.bytes->fill(raw_.data(), raw_.size());
      require(got == raw_.size(), "{}: ends within row {}, expected {} rows", a.bytes->name(),
              done_ + from + 1 + static_cast<Index>(got / (a.columns.size() * a.item)), a.rows);
    }
    return rows;
  }

  // What is in raw_ into the chunk. Returns where the next array's columns begin.
  Columns put(const Array& a, Index rows, TableChunk& chunk, Index from, Columns at) {
    const std::size_t columns = a.columns.size(), n = static_cast<std::size_t>(rows);
    if (!a.is_text()) {
      values_.resize(rows, static_cast<Index>(columns));
      if (a.by_columns)
        for (std::size_t c = 0; c < columns; ++c)
          decode(a, raw_.data() + c * n * a.item, n, values_.data() + c, columns);
      else
        decode(a, raw_.data(), n * columns, values_.data(), 1);
    }
    for (std::size_t c = 0; c < columns; ++c) {
      const CellKind kind = kinds()[at.table + c];
      for (std::size_t r = 0; r < n && kind != CellKind::kSkip; ++r) {
        const Index i = from + static_cast<Index>(r);
        const Index line = done_ + i + 1;
        const std::size_t place = a.by_columns ? c * n + r : r * columns + c;
        if (a.is_text()) {
          const std::string cell = decode_text(a, raw_.data() + place * a.item);
          if (kind == CellKind::kNumber)
            chunk.number(i, at.number) = number_at(cell, line, a.columns[c]);
          else
            chunk.text[at.text].push_back(text_at(cell, line, a.columns[c]));
        } else {
          const double value = finite_at(values_.data()[r * columns + c], line, a.columns[c]);
          if (kind == CellKind::kNumber)
            chunk.number(i, at.number) = value;
          else
            chunk.text[at.text].push_back(std::isnan(value) ? "" : fmt::format("{}", value));
        }
      }
      at.number += kind == CellKind::kNumber;
      at.text += kind == CellKind::kText;
    }
    at.table += columns;
    return at;
  }

  std::vector<Array> arrays_;
  Index done_ = 0;
  std::vector<CellKind> guess_;
  std::vector<char> raw_;
  RowMat<double> values_;
};

}  // namespace

std::string shape_text(std::span<const std::uint64_t> shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

std::uint64_t claimed_values(const Bytes& bytes, std::span<const std::uint64_t> shape,
                             std::size_t item, std::uint64_t header) {
  const std::uint64_t most = std::min(bytes.most(), kMostClaimed);
  std::uint64_t claimed = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    require(shape[d] > 0, "{}: dimension {} has the size 0, expected 1 or more", bytes.name(), d);
    // Divided, not multiplied: the product could wrap around.
    require(shape[d] <= (most - std::min(most, header)) / item / claimed,
            "{}: the header claims {} values or more, but the file holds {} bytes at most",
            bytes.name(), shape_text(shape.first(d + 1)), most);
    claimed *= shape[d];
  }
  return claimed;
}

Index set_shape(Array& array, std::span<const std::uint64_t> shape, std::uint64_t header) {
  const std::string& name = array.bytes->name();
  const std::uint64_t columns = claimed_values(*array.bytes, shape, array.item, header) / shape[0];
  require(columns <= TableReader::kMostColumns && columns * array.item <= kLongestRow,
          "{}: {} values of {} bytes in a row, expected at most {} and {} bytes", name, columns,
          array.item, TableReader::kMostColumns, kLongestRow);
  // A few packed bytes may claim many columns: there is one row at least before they get names.
  const std::size_t row = columns * array.item;
  require(array.bytes->peek(row).size() == row, "{}: ends within row 1, expected {} rows", name,
          shape[0]);
  array.rows = static_cast<Index>(shape[0]);
  if (shape.size() == 3) {
    array.image_rows = static_cast<Index>(shape[1]);
    array.image_cols = static_cast<Index>(shape[2]);
  }
  return static_cast<Index>(columns);
}

std::unique_ptr<TableReader> read_arrays(std::string name, std::vector<Array> arrays) {
  return std::make_unique<ArrayTable>(std::move(name), std::move(arrays));
}

}  // namespace vargp
