#include "vargp/table/table_task.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "vargp/core/error.h"
#include "vargp/core/random.h"
#include "vargp/io/text.h"
#include "vargp/table/table_columns.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;

constexpr Index kChunk = 4096;           // rows read at a time: two sweeps of the coupled model
constexpr Index kMostCells = 8'000'000;  // of a sample,
constexpr Index kLeastSample = 2000;     // which has this many rows nevertheless
constexpr std::size_t kMostLevels = 256;

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// The schema before any row has been seen: columns by name and kind.
Schema first_schema(const Schema& empty, const TableReader& reader, const TableTaskOptions& o) {
  Schema s = empty;
  const auto& names = reader.columns();
  s.label = !o.label.empty() ? o.label : contains(names, "label") ? "label" : "y";
  const std::string all = listed(names, 40);
  require(contains(names, s.label),
          "{}: there is no column {}; --label must name the one with the labels, of {}",
          reader.name(), o.label.empty() ? "label" : o.label, all);
  for (const auto* list : {&o.features, &o.ignored, &o.categorical})
    for (const std::string& name : *list)
      require(contains(names, name), "{}: there is no column {}; there are {}", reader.name(), name,
              all);
  require(!contains(o.features, s.label), "the label {} cannot be a feature too", s.label);
  const auto guess = reader.guess();
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == s.label) continue;
    if (contains(o.ignored, names[k]) || (!o.features.empty() && !contains(o.features, names[k]))) {
      s.ignored.push_back(names[k]);
      continue;
    }
    Column c;
    c.name = names[k];
    c.categorical = guess[k] == CellKind::kText || contains(o.categorical, names[k]);
    s.columns.push_back(std::move(c));
  }
  require(!s.columns.empty(), "{}: there is no column left to learn from", reader.name());
  s.named = !unnamed(s.names());
  if (reader.image_rows() * reader.image_cols() == std::ssize(s.columns)) {
    s.image_rows = reader.image_rows();
    s.image_cols = reader.image_cols();
  }
  return s;
}

// Means and deviations (Welford's, a row at a time), and levels.
class Statistics {
 public:
  explicit Statistics(const Schema& schema)
      : schema_(schema),
        count_(schema.columns.size()),
        mean_(schema.columns.size()),
        squares_(schema.columns.size()),
        levels_(schema.columns.size()) {}

  void add(const TableColumns& columns, const TableChunk& chunk) {
    Index number = 0, text = 0;
    for (std::size_t j = 0; j < schema_.columns.size(); ++j) {
      if (schema_.columns[j].categorical) {
        const auto& cells = chunk.text[static_cast<std::size_t>(text++)];
        for (std::size_t i = 0; i < cells.size(); ++i)
          if (!cells[i].empty() && levels_[j].insert(cells[i]).second)
            require(levels_[j].size() <= kMostLevels,
                    "{}: \"{}\" is one text more than the {} different ones that a category may "
                    "have; --ignore leaves the column out",
                    columns.place(chunk, static_cast<Index>(i), schema_.columns[j].name), cells[i],
                    kMostLevels);
      } else {
        for (Index i = 0; i < chunk.rows; ++i) {
          const double x = chunk.number(i, number);
          if (std::isnan(x)) continue;
          const double change = x - mean_[j];
          mean_[j] += change / ++count_[j];
          squares_[j] += change * (x - mean_[j]);
        }
        ++number;
      }
    }
  }

  std::vector<Column> columns() const {
    std::vector<Column> out = schema_.columns;
    for (std::size_t j = 0; j < out.size(); ++j) {
      Column& c = out[j];
      c.levels.assign(levels_[j].begin(), levels_[j].end());
      sort_names(c.levels);
      c.mean = mean_[j];
      if (schema_.standardise && count_[j] > 0)
        c.deviation = usable_deviation(std::sqrt(squares_[j] / count_[j]), c.mean);
    }
    return out;
  }

 private:
  const Schema& schema_;
  std::vector<double> count_, mean_, squares_;
  std::vector<std::set<std::string>> levels_;
};

// Rows of a file that were drawn. They keep their places in the file for errors.
struct Rows {
  TableChunk cells;
  std::vector<Index> id;  // counted over all files

  void put(const TableChunk& from, Index i, Index row_id, Index at) {
    if (at == cells.rows) {
      if (cells.number.rows() <= at)
        cells.number.conservativeResize(std::max<Index>(2 * at, 1024), from.number.cols());
      cells.text.resize(from.text.size());
      for (auto& column : cells.text) column.emplace_back();
      cells.line.emplace_back();
      id.emplace_back();
      ++cells.rows;
    }
    const auto to = static_cast<std::size_t>(at), row = static_cast<std::size_t>(i);
    cells.number.row(at) = from.number.row(i);
    for (std::size_t k = 0; k < cells.text.size(); ++k) cells.text[k][to] = from.text[k][row];
    cells.line[to] = from.line[row];
    id[to] = row_id;
  }
};

TableChunk picked(const TableChunk& cells, const std::vector<Index>& rows) {
  TableChunk out;
  out.rows = std::ssize(rows);
  out.number = cells.number(rows, Eigen::all);
  out.text.resize(cells.text.size());
  for (const Index i : rows) {
    out.line.push_back(cells.line[static_cast<std::size_t>(i)]);
    for (std::size_t k = 0; k < cells.text.size(); ++k)
      out.text[k].push_back(cells.text[k][static_cast<std::size_t>(i)]);
  }
  return out;
}

// All files, one after the other, as often as they are wanted.
class Files {
 public:
  Files(std::vector<fs::path> paths, const TableTaskOptions& options)
      : paths_(std::move(paths)), options_(options) {}

  std::unique_ptr<TableReader> open(std::size_t i) const {
    return open_table(paths_[i], options_.table);
  }
  bool rewinds() const {
    return std::all_of(paths_.begin(), paths_.end(),
                       [](const fs::path& p) { return p != "-" && fs::is_regular_file(p); });
  }
  // Every chunk of every file, until there are no more; `first` has been opened already. Returns
  // the number of rows.
  using Body = std::function<void(const TableColumns& columns, const TableChunk& chunk)>;
  Index each(const Schema& schema, std::unique_ptr<TableReader> first, const Body& body) const {
    Index rows = 0;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const auto reader = i == 0 && first ? std::move(first) : open(i);
      TableColumns columns(schema, *reader, true);
      TableChunk chunk;
      while (columns.next(chunk, kChunk)) {
        rows += chunk.rows;
        if (options_.read) options_.read(rows);
        body(columns, chunk);
      }
    }
    return rows;
  }

 private:
  std::vector<fs::path> paths_;
  TableTaskOptions options_;
};

// What the first pass finds.
struct Scan {
  Index rows = 0, missing = 0;
  std::string first_missing;
  Rows sample;
  std::vector<Index> fixed;  // places in the sample of each new class's first row
  std::map<std::string, Index> class_rows;
};

Scan scan(const Files& files, std::unique_ptr<TableReader> reader, const Schema& schema,
          Statistics* statistics, Index most, Random random) {
  Scan out;
  std::vector<Index> places;  // of the sample, that may be given to other rows
  files.each(schema, std::move(reader), [&](const TableColumns& columns, const TableChunk& chunk) {
    std::string first;
    const Index missing = columns.missing(chunk, first);
    if (out.missing == 0) out.first_missing = first;
    out.missing += missing;
    if (statistics)
      statistics->add(columns, chunk);
    else if (missing == 0)
      columns.encode(chunk);  // for its errors
    if (schema.regression)
      columns.targets(chunk);
    else if (!schema.grows)
      columns.classes(chunk);
    for (Index i = 0; i < chunk.rows; ++i) {
      const Index row = out.rows++;
      bool new_class = false;
      if (!schema.regression) {
        const std::string& name = chunk.text.back()[static_cast<std::size_t>(i)];
        require(!name.empty(), "{}: the label is missing", columns.place(chunk, i, schema.label));
        new_class = ++out.class_rows[name] == 1 && !contains(schema.classes, name);
      }
      // Vitter's algorithm R, but that the first row of a new class stays: every class is there.
      if (new_class) {
        out.fixed.push_back(out.sample.cells.rows);
        out.sample.put(chunk, i, row, out.sample.cells.rows);
      } else if (std::ssize(places) < most) {
        places.push_back(out.sample.cells.rows);
        out.sample.put(chunk, i, row, out.sample.cells.rows);
      } else if (const Index at = random.below(row + 1 - std::ssize(out.fixed)); at < most) {
        out.sample.put(chunk, i, row, places[static_cast<std::size_t>(at)]);
      }
    }
  });
  return out;
}

// Rows of the sample to learn from and to validate with, in the order of the files.
struct Split {
  std::vector<Index> learned, held;
};
Split split(const Scan& scan, double share, Random random) {
  const Index count = scan.sample.cells.rows;
  const auto held = static_cast<Index>(share * static_cast<double>(count));
  Split out;
  for (const Index i : random.permutation(count)) {
    const bool fixed = std::find(scan.fixed.begin(), scan.fixed.end(), i) != scan.fixed.end();
    (std::ssize(out.held) < held && !fixed ? out.held : out.learned).push_back(i);
  }
  const auto earlier = [&](Index a, Index b) {
    return scan.sample.id[static_cast<std::size_t>(a)] <
           scan.sample.id[static_cast<std::size_t>(b)];
  };
  std::sort(out.learned.begin(), out.learned.end(), earlier);
  std::sort(out.held.begin(), out.held.end(), earlier);
  return out;
}

// Every row of the files but those held out (their numbers, ascending), as inputs and what
// `targets` makes of the labels.
template <class Y>
Pass<Y> pass_over(const Files& files, const Schema& schema, const std::vector<Index>& held,
                  Index rows, Y (TableColumns::*targets)(const TableChunk&) const) {
  return [=](const auto& take) {
    auto skipped = held.begin();
    Index row = 0;
    const Index found =
        files.each(schema, nullptr, [&](const TableColumns& columns, const TableChunk& chunk) {
          std::vector<Index> kept;
          for (Index i = 0; i < chunk.rows; ++i, ++row)
            if (skipped != held.end() && *skipped == row)
              ++skipped;
            else
              kept.push_back(i);
          const TableChunk part = std::ssize(kept) == chunk.rows ? chunk : picked(chunk, kept);
          if (part.rows > 0) take(columns.encode(part), (columns.*targets)(part));
        });
    require(found == rows, "the files had {} rows at first and {} when they were read again", rows,
            found);
  };
}

}  // namespace

EncodedTask read_task(const TableModel& model, const std::vector<fs::path>& paths,
                      const TableTaskOptions& options) {
  require(!paths.empty(), "there is no file to learn from");
  const EstimatorOptions& o = model.options();
  const Files files(paths, options);
  auto reader = files.open(0);
  const Index t = model.tasks();
  EncodedTask task;
  Schema& schema = task.schema =
      t == 0 ? first_schema(model.schema(), *reader, options) : model.schema();
  for (const std::string& name : options.ignored)
    if (!contains(schema.ignored, name)) schema.ignored.push_back(name);

  const bool streams = files.rewinds() && o.model == ModelKind::kCoupled &&
                       o.likelihood == LikelihoodKind::kGaussian;
  const Index most =
      std::min(options.sample, std::max(kLeastSample, kMostCells / std::ssize(schema.columns)));
  Statistics statistics(schema);
  const Scan found =
      scan(files, std::move(reader), schema, t == 0 ? &statistics : nullptr,
           streams ? most : std::numeric_limits<Index>::max(), Random(o.seed, Purpose::kData, t));
  require(
      found.missing == 0,
      "{} missing, the first in {}; --missing mean, when the model is made, puts the column's mean "
      "in its place",
      found.missing == 1 ? "1 value is" : fmt::format("{} values are", found.missing),
      found.first_missing);
  if (t == 0) {
    schema.columns = statistics.columns();
    require(schema.D() > 0, "{}: the columns to learn from have no values", paths[0].string());
  }
  if (schema.grows) {
    std::vector<std::string> fresh;
    for (const auto& [name, rows] : found.class_rows)
      if (!contains(schema.classes, name)) fresh.push_back(name);
    sort_names(fresh);
    schema.classes.insert(schema.classes.end(), fresh.begin(), fresh.end());
  }
  for (const std::string& name : schema.classes) {
    const auto count = found.class_rows.find(name);
    task.class_rows.push_back(count == found.class_rows.end() ? 0 : count->second);
  }

  const Split parts = split(found, o.validation, Random(o.seed, Purpose::kValidationSplit, t));
  const TableChunk learned = picked(found.sample.cells, parts.learned),
                   held = picked(found.sample.cells, parts.held);
  const TableColumns columns(schema);
  task.X = columns.encode(learned);
  task.X_validation = columns.encode(held);
  const bool again = found.sample.cells.rows < found.rows;  // there is more than the sample
  std::vector<Index> held_rows;
  for (const Index i : parts.held)
    held_rows.push_back(found.sample.id[static_cast<std::size_t>(i)]);
  if (schema.regression) {
    task.targets = columns.targets(learned);
    task.targets_validation = columns.targets(held);
    if (again)
      task.target_pass = pass_over(files, schema, held_rows, found.rows, &TableColumns::targets);
  } else {
    task.y = columns.classes(learned);
    task.y_validation = columns.classes(held);
    if (again) task.pass = pass_over(files, schema, held_rows, found.rows, &TableColumns::classes);
  }
  return task;
}

}  // namespace vargp
