#include "vargp/data/stream.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "vargp/core/error.h"
#include "vargp/core/random.h"
#include "vargp/data/toy.h"

namespace vargp {
namespace {

// Marks the rows that are held out. A mark, not a list: the others keep the order of the file.
std::vector<bool> hold_out(Index N, Index validation, std::uint64_t seed) {
  require(validation >= 0 && validation < N,
          "validation: {} points held out, expected 0 to {} of the {} there are", validation, N - 1,
          N);
  const std::vector<Index> order = Random(seed, Purpose::kValidationSplit).permutation(N);
  std::vector<bool> out(static_cast<std::size_t>(N), false);
  for (Index i = 0; i < validation; ++i)
    out[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = true;
  return out;
}

// The task of each class, -1 for a class in none.
std::vector<int> task_of_class(const ClassOrder& order, int C) {
  require(!order.empty(), "class order: no task in it");
  std::vector<int> task(static_cast<std::size_t>(C), -1);
  for (int t = 0; t < std::ssize(order); ++t) {
    const auto& classes = order[static_cast<std::size_t>(t)];
    require(!classes.empty(), "class order: task {} has no class", t);
    for (const int k : classes) {
      require(k >= 0 && k < C, "class order, task {}: class {}, expected 0 to {}", t, k, C - 1);
      require(std::exchange(task[static_cast<std::size_t>(k)], t) == -1,
              "class order: class {} occurs twice", k);
    }
  }
  return task;
}

void check_pair(const Dataset& train, const Dataset& test) {
  check(train, "training data");
  check(test, "test data");
  require(train.X.cols() == test.X.cols(), "training data have {} columns, test data {}",
          train.X.cols(), test.X.cols());
  require(train.C == test.C, "training data have {} classes, test data {}", train.C, test.C);
}

// Deals the points out to the tasks of their classes.
std::vector<Stream::Part> parts_by_class(const Dataset& train, const Dataset& test,
                                         const ClassOrder& order,
                                         const std::vector<bool>& held_out) {
  const std::vector<int> task = task_of_class(order, train.C);
  std::vector<Stream::Part> parts(order.size());
  for (std::size_t t = 0; t < order.size(); ++t) parts[t].classes = order[t];
  for (std::size_t i = 0; i < train.y.size(); ++i) {
    const int t = task[static_cast<std::size_t>(train.y[i])];
    if (t < 0) continue;
    Stream::Part& part = parts[static_cast<std::size_t>(t)];
    (held_out[i] ? part.validation : part.train).push_back(static_cast<Index>(i));
  }
  for (std::size_t i = 0; i < test.y.size(); ++i) {
    const int t = task[static_cast<std::size_t>(test.y[i])];
    if (t >= 0) parts[static_cast<std::size_t>(t)].test.push_back(static_cast<Index>(i));
  }
  for (std::size_t t = 0; t < parts.size(); ++t)
    require(!parts[t].train.empty(), "task {}: no training point has one of its classes", t);
  return parts;
}

}  // namespace

Stream::Stream(std::string name, Dataset train, Dataset test, std::vector<Part> parts)
    : name_(std::move(name)),
      train_(std::move(train)),
      test_(std::move(test)),
      parts_(std::move(parts)) {
  for (Part& part : parts_) std::sort(part.classes.begin(), part.classes.end());
}

const Stream::Part& Stream::part(Index t) const {
  VARGP_CHECK(t >= 0 && t < tasks());
  return parts_[static_cast<std::size_t>(t)];
}

Task Stream::task(Index t) const { return {train(t), validation(t), test(t), classes(t)}; }

Dataset Stream::train(Index t) const { return select(train_, part(t).train, part(t).columns); }

Dataset Stream::validation(Index t) const {
  return select(train_, part(t).validation, part(t).columns);
}

Dataset Stream::test(Index t) const { return select(test_, part(t).test, part(t).columns); }

ClassOrder parse_class_order(std::string_view text) {
  ClassOrder order(1);
  std::vector<int> seen;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int k = 0;
    const auto [next, error] = std::from_chars(at, end, k);
    require(error == std::errc() && k >= 0,
            "class order '{}', position {}: expected a class, a number from 0", text,
            at - text.data());
    require(std::find(seen.begin(), seen.end(), k) == seen.end(),
            "class order '{}': class {} occurs twice", text, k);
    seen.push_back(k);
    order.back().push_back(k);
    if (next == end) return order;
    require(*next == ',' || *next == '|',
            "class order '{}', position {}: '{}', expected ',' between classes or '|' between "
            "tasks",
            text, next - text.data(), *next);
    if (*next == '|') order.emplace_back();
    at = next + 1;
  }
}

ClassOrder classes_in_order(int C, int size) {
  require(size > 0, "classes per task: {}, expected 1 or more", size);
  ClassOrder order;
  for (int k = 0; k < C; ++k) {
    if (k % size == 0) order.emplace_back();
    order.back().push_back(k);
  }
  return order;
}

Stream split_stream(std::string name, Dataset train, Dataset test, const ClassOrder& order,
                    Index validation, std::uint64_t seed) {
  check_pair(train, test);
  auto parts = parts_by_class(train, test, order, hold_out(train.size(), validation, seed));
  return Stream(std::move(name), std::move(train), std::move(test), std::move(parts));
}

Stream permuted_stream(std::string name, Dataset train, Dataset test, Index tasks, Index validation,
                       std::uint64_t seed) {
  check_pair(train, test);
  require(tasks > 0, "tasks: {}, expected 1 or more", tasks);
  Stream::Part part;
  part.classes.resize(static_cast<std::size_t>(train.C));
  std::iota(part.classes.begin(), part.classes.end(), 0);
  const std::vector<bool> out = hold_out(train.size(), validation, seed);
  for (std::size_t i = 0; i < out.size(); ++i)
    (out[i] ? part.validation : part.train).push_back(static_cast<Index>(i));
  part.test.resize(test.y.size());
  std::iota(part.test.begin(), part.test.end(), Index{0});
  std::vector<Stream::Part> parts;
  for (Index t = 0; t < tasks; ++t) {
    parts.push_back(part);
    if (t == 0) continue;
    parts.back().columns = Random(seed, Purpose::kPermutation, static_cast<std::uint32_t>(t))
                               .permutation(train.X.cols());
  }
  return Stream(std::move(name), std::move(train), std::move(test), std::move(parts));
}

Stream toy_stream(std::uint64_t seed, const ClassOrder& order) {
  const Dataset sets[] = {toy(seed, 50, ToySet::kTrain), toy(seed, 50, ToySet::kValidation)};
  Dataset train = concatenate(sets);
  Dataset test = toy(seed, 1000, ToySet::kTest);
  std::vector<bool> held_out(train.y.size(), true);
  std::fill_n(held_out.begin(), sets[0].y.size(), false);
  auto parts = parts_by_class(train, test, order, held_out);
  return Stream("toy", std::move(train), std::move(test), std::move(parts));
}

Stream joint_stream(const Stream& stream) {
  Stream::Part part;
  std::vector<Dataset> train, test;
  const auto add = [](std::vector<Dataset>& to, Dataset data, Index& rows,
                      std::vector<Index>& which) {
    for (Index i = 0; i < data.size(); ++i) which.push_back(rows++);
    to.push_back(std::move(data));
  };
  Index rows = 0, test_rows = 0;
  for (Index t = 0; t < stream.tasks(); ++t) {
    add(train, stream.train(t), rows, part.train);
    add(train, stream.validation(t), rows, part.validation);
    add(test, stream.test(t), test_rows, part.test);
    part.classes.insert(part.classes.end(), stream.classes(t).begin(), stream.classes(t).end());
  }
  std::sort(part.classes.begin(), part.classes.end());
  part.classes.erase(std::unique(part.classes.begin(), part.classes.end()), part.classes.end());
  return Stream(stream.name(), concatenate(train), concatenate(test), {std::move(part)});
}

}  // namespace vargp
