#include "vargp/data/csv.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>

#include "vargp/core/error.h"
#include "vargp/data/cell.h"

namespace vargp {
namespace {

constexpr std::size_t kFirstBuffer = std::size_t{1} << 14;
constexpr std::size_t kSample = std::size_t{1} << 18;      // what is looked at before the first row
constexpr std::size_t kLongestRow = std::size_t{1} << 24;  // no row may need more memory
constexpr int kDelimiterRows = 64;                         // what a delimiter is found from
constexpr std::string_view kDelimiters = ",;\t|";

struct Cell {
  std::string_view text;  // without quotes
  bool quoted = false;
};

class Csv final : public TableReader {
 public:
  Csv(std::unique_ptr<Bytes> bytes, const TableOptions& options);
  std::vector<CellKind> guess() const override { return guess_; }

 protected:
  void get(TableChunk& chunk, Index max_rows) override;
  std::string_view row_word() const override { return "line"; }

 private:
  // A place in the text, and the line that it is in.
  struct Position {
    const char* at = nullptr;
    Index line = 1;
    bool after_cr = false;  // an LF here ends no line of its own
  };
  enum class End { kDelimiter, kRow, kUnknown };  // unknown: more text is needed

  bool more();
  bool skip_blank(Position& p) const;
  End take_cell(Position& p, Cell& cell, std::size_t column);
  std::string place_of(Index line, std::size_t column) const;
  bool take_cells(Position& p, std::vector<Cell>& cells);
  bool take_row(Position& p, TableChunk& chunk);
  void end_row(Position& p) const;

  Index sampled_rows(int limit);
  void find_delimiter();
  void look(const TableOptions& options);

  const char* end() const { return buffer_.data() + size_; }

  std::unique_ptr<Bytes> bytes_;
  std::vector<char> buffer_;
  std::size_t size_ = 0;
  Position here_;
  bool ended_ = false;  // nothing more will come into the buffer
  char delimiter_ = ',';
  std::deque<std::string> unquoted_;  // cells in which quotes were doubled
  std::vector<CellKind> guess_;
};

Csv::Csv(std::unique_ptr<Bytes> bytes, const TableOptions& options)
    : TableReader(bytes->name()), bytes_(std::move(bytes)), buffer_(kFirstBuffer) {
  here_.at = buffer_.data();
  if (options.delimiter) {
    const char d = *options.delimiter;
    require(
        std::strchr("\"\r\n.+-", d) == nullptr && std::isalnum(static_cast<unsigned char>(d)) == 0,
        "delimiter {}: expected none that stands in numbers, ends lines or quotes", shown({&d, 1}));
    delimiter_ = d;
  }
  look(options);
}

// Makes room and reads. False if nothing came.
bool Csv::more() {
  if (ended_) return false;
  const auto used = static_cast<std::size_t>(here_.at - buffer_.data());
  std::copy(here_.at, end(), buffer_.data());
  size_ -= used;
  // One byte is kept for the last line's end.
  if (size_ + 1 >= buffer_.size() / 2) {
    if (size_ >= kLongestRow)
      fail("{}: longer than {} bytes (is a quote not closed?)", place(here_.line), kLongestRow);
    buffer_.resize(2 * buffer_.size());
  }
  here_.at = buffer_.data();
  char* to = buffer_.data() + size_;
  const std::size_t n = bytes_->read(to, buffer_.size() - size_ - 1);
  if (const void* zero = std::memchr(to, 0, n); zero != nullptr)
    fail("{}: a zero byte, expected text (is it a CSV file?)",
         place(here_.line + std::count(here_.at, static_cast<const char*>(zero), '\n')));
  size_ += n;
  if (n > 0) return true;
  ended_ = true;
  if (size_ == 0 || buffer_[size_ - 1] == '\n' || buffer_[size_ - 1] == '\r') return false;
  buffer_[size_++] = '\n';
  return true;
}

// To the next line with anything in it; false if there is none yet.
bool Csv::skip_blank(Position& p) const {
  for (; p.at < end() && (*p.at == '\n' || *p.at == '\r'); end_row(p)) {
  }
  return p.at < end();
}

// Past the end of a line. CR LF counts once, wherever the buffer ends.
void Csv::end_row(Position& p) const {
  const char c = *p.at++;
  if (!(c == '\n' && p.after_cr)) ++p.line;
  p.after_cr = c == '\r';
}

// Before the names are known, columns have numbers.
std::string Csv::place_of(Index line, std::size_t column) const {
  return place(line, column < columns().size() ? columns()[column] : std::to_string(column + 1));
}

// The cell at p, which moves to what ends it.
Csv::End Csv::take_cell(Position& p, Cell& cell, std::size_t column) {
  const char* const last = end();
  const char* at = p.at;
  if (at < last && *at == '"') {
    const Index line = p.line;
    const char* const first = ++at;
    bool doubled = false;
    for (;; at += 2, doubled = true) {
      const auto left = static_cast<std::size_t>(last - at);
      at = static_cast<const char*>(left > 0 ? std::memchr(at, '"', left) : nullptr);
      if (at == nullptr || at + 1 == last) return End::kUnknown;
      if (at[1] != '"') break;
    }
    cell = {{first, static_cast<std::size_t>(at - first)}, true};
    p.line += std::count(first, at, '\n');
    if (doubled) {
      std::string& text = unquoted_.emplace_back();
      for (const char* c = first; c < at; ++c) {
        text += *c;
        if (*c == '"') ++c;
      }
      cell.text = text;
    }
    ++at;
    if (*at != delimiter_ && *at != '\n' && *at != '\r')
      fail("{}: {} after the closing quote, expected a delimiter or the end of the line",
           place_of(line, column), shown({at, 1}));
  } else {
    while (at < last && *at != delimiter_ && *at != '\n' && *at != '\r') ++at;
    if (at == last) return End::kUnknown;
    cell = {{p.at, static_cast<std::size_t>(at - p.at)}, false};
  }
  p.at = at;
  p.after_cr = false;
  return *at == delimiter_ ? End::kDelimiter : End::kRow;
}

// A whole row, whatever it is; false if it does not end yet. The cells hold until the next one.
bool Csv::take_cells(Position& p, std::vector<Cell>& cells) {
  Position q = p;
  cells.clear();
  unquoted_.clear();
  if (!skip_blank(q)) return false;
  for (;;) {
    Cell cell;
    const End stop = take_cell(q, cell, cells.size());
    if (stop == End::kUnknown) return false;
    cells.push_back(cell);
    if (std::ssize(cells) > kMostColumns)
      fail("{}: more than {} cells", place(q.line), kMostColumns);
    if (stop == End::kRow) break;
    ++q.at;
  }
  end_row(q);
  p = q;
  return true;
}

// The next row into the chunk, which has room for it; false if the row does not end yet.
bool Csv::take_row(Position& p, TableChunk& chunk) {
  Position q = p;
  if (!skip_blank(q)) return false;
  const Index line = q.line;
  const std::size_t columns = kinds().size();
  double* number = chunk.number.data() + chunk.rows * chunk.number.cols();
  auto text = chunk.text.begin();
  for (std::size_t c = 0;;) {
    const std::string& column = this->columns()[c];
    End stop = End::kUnknown;
    if (kinds()[c] == CellKind::kNumber) {
      // As a rule, a number is all there is in the cell.
      const auto [at, error] = fast_float::from_chars(q.at, end(), *number);
      if (error == std::errc() && at < end() && std::isfinite(*number)) {
        if (*at == delimiter_) stop = End::kDelimiter;
        if (*at == '\n' || *at == '\r') stop = End::kRow;
      }
      if (stop != End::kUnknown) {
        q.at = at;
        q.after_cr = false;
        ++number;
      }
    }
    if (stop == End::kUnknown) {
      Cell cell;
      unquoted_.clear();
      const Index begun = q.line;
      stop = take_cell(q, cell, c);
      if (stop == End::kUnknown) {
        for (auto& list : chunk.text) list.resize(static_cast<std::size_t>(chunk.rows));
        return false;
      }
      if (kinds()[c] == CellKind::kNumber) *number++ = number_at(cell.text, begun, column);
      // In quotes, NA is a text like any other.
      if (kinds()[c] == CellKind::kText)
        (text++)->push_back(!cell.quoted && is_missing(cell.text)
                                ? std::string()
                                : text_at(cell.text, begun, column));
    }
    ++c;
    if (stop == End::kRow) {
      if (c != columns) fail("{}: {} cells, expected {}", place(line), c, columns);
      break;
    }
    if (c == columns) {
      Position whole = p;
      std::vector<Cell> cells;
      if (!take_cells(whole, cells)) {
        for (auto& list : chunk.text) list.resize(static_cast<std::size_t>(chunk.rows));
        return false;
      }
      fail("{}: {} cells, expected {}", place(line), cells.size(), columns);
    }
    ++q.at;
  }
  end_row(q);
  p = q;
  chunk.line.push_back(line);
  ++chunk.rows;
  return true;
}

void Csv::get(TableChunk& chunk, Index max_rows) {
  while (chunk.rows < max_rows) {
    if (take_row(here_, chunk)) continue;
    if (chunk.rows > 0 && !bytes_->ready()) return;
    if (more()) continue;
    Position rest = here_;
    if (skip_blank(rest)) fail("{}: a quote is not closed", place(rest.line));
    return;
  }
}

// How many whole rows are in the buffer, counted up to the limit.
Index Csv::sampled_rows(int limit) {
  std::vector<Cell> cells;
  Index rows = 0;
  for (Position p = here_; rows < limit && take_cells(p, cells);) ++rows;
  return rows;
}

// The one that splits every row into the same number of cells, and into most of them; if none does,
// the one that splits the first row.
void Csv::find_delimiter() {
  std::size_t most = 1, most_in_first = 1;
  char found = kDelimiters[0], in_first = kDelimiters[0];
  for (const char candidate : kDelimiters) {
    delimiter_ = candidate;
    std::vector<Cell> cells;
    std::size_t first = 0;
    bool same = true;
    Position p = here_;
    try {
      for (int row = 0; row < kDelimiterRows && take_cells(p, cells); ++row) {
        if (row == 0) first = cells.size();
        same = same && cells.size() == first;
      }
    } catch (const Error&) {
      same = false;  // a cell goes on after a closing quote: this is not what ends it
    }
    if (same && first > most) most = first, found = candidate;
    if (first > most_in_first) most_in_first = first, in_first = candidate;
  }
  delimiter_ = most > 1 ? found : in_first;
}

// Names, delimiter and kinds of the columns, from the first rows.
void Csv::look(const TableOptions& options) {
  const int needed = options.header == false ? 1 : 2;
  const auto enough = [&] {
    if (size_ < kSample && bytes_->ready()) return false;
    if (!options.delimiter) find_delimiter();
    return sampled_rows(needed) == needed;
  };
  const std::string_view mark = bytes_->peek(3);
  require(!mark.starts_with("\xff\xfe") && !mark.starts_with("\xfe\xff"),
          "{}: text in UTF-16, expected UTF-8", name());
  if (mark == "\xef\xbb\xbf") bytes_->fill(buffer_.data(), 3);
  while (more() && !enough()) {
  }
  if (!options.delimiter) find_delimiter();

  std::vector<Cell> cells;
  Position p = here_;
  Position second = here_;
  if (!take_cells(p, cells)) {
    if (skip_blank(second)) fail("{}: a quote is not closed", place(second.line));
    fail("{}: is empty, expected a table", name());
  }
  second = p;
  const std::size_t columns = cells.size();
  std::vector<std::string> first;
  for (const Cell& cell : cells) first.emplace_back(trimmed(cell.text));

  // Is every cell below the first row a number? Has there been one?
  std::vector<bool> numeric(columns, true), some(columns, false);
  Index rows = 0;
  for (; take_cells(p, cells); ++rows)
    for (std::size_t c = 0; c < std::min(columns, cells.size()); ++c) {
      if (is_missing(cells[c].text)) continue;
      numeric[c] = numeric[c] && number_in(cells[c].text).has_value();
      some[c] = true;
    }
  bool text = false, number = false, told_by_rows = false;
  for (std::size_t c = 0; c < columns; ++c) {
    if (is_missing(first[c])) continue;
    const bool is_number = number_in(first[c]).has_value();
    number = number || is_number;
    text = text || !is_number;
    told_by_rows = told_by_rows || (!is_number && numeric[c] && some[c]);
  }
  const bool header = options.header.value_or(text && (!number || told_by_rows));
  if (header) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (!is_utf8(first[c]))
        fail("{}: the name of column {} is {}, expected UTF-8", place(here_.line), c + 1,
             shown(first[c]));
      if (first[c].empty()) first[c] = fmt::format("x{}", c);
    }
    here_ = second;
    require(rows > 0 || !ended_ || skip_blank(second), "{}: has a header but no rows", name());
    set_columns(std::move(first));
  } else {
    for (std::size_t c = 0; c < columns; ++c)
      numeric[c] = numeric[c] && (is_missing(first[c]) || number_in(first[c]).has_value());
    set_columns(numbered("x", static_cast<Index>(columns)));
  }
  for (std::size_t c = 0; c < columns; ++c)
    guess_.push_back(numeric[c] ? CellKind::kNumber : CellKind::kText);
}

}  // namespace

std::unique_ptr<TableReader> read_csv(std::unique_ptr<Bytes> bytes, const TableOptions& options) {
  return std::make_unique<Csv>(std::move(bytes), options);
}

}  // namespace vargp
