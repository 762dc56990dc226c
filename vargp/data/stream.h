// Task streams: one data set after another, each to be seen once.
//
// A stream keeps the data once and, for every task, which rows (and for permuted pictures which
// order of the columns) belong to it; a task's points are copied out when it is asked for. Ten
// permuted copies of MNIST would be 1.9 GB, the stream is 0.2 GB.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vargp/data/dataset.h"

namespace vargp {

struct Task {
  Dataset train, validation, test;
  std::vector<int> classes;  // those that occur in it, ascending
};

class Stream {
 public:
  // Which rows of the training and the test data make up a task.
  struct Part {
    std::vector<int> classes;
    std::vector<Index> train, validation, test;
    std::vector<Index> columns;  // empty: as they are
  };

  Stream(std::string name, Dataset train, Dataset test, std::vector<Part> parts);

  const std::string& name() const { return name_; }
  Index D() const { return train_.X.cols(); }
  int C() const { return train_.C; }
  Index image_rows() const { return train_.image_rows; }
  Index image_cols() const { return train_.image_cols; }

  Index tasks() const { return std::ssize(parts_); }
  const Part& part(Index t) const;
  const std::vector<int>& classes(Index t) const { return part(t).classes; }

  // Copies of task t's points: all three sets, or only the one that is needed.
  Task task(Index t) const;
  Dataset train(Index t) const;
  Dataset validation(Index t) const;
  Dataset test(Index t) const;

 private:
  std::string name_;
  Dataset train_, test_;
  std::vector<Part> parts_;
};

using ClassOrder = std::vector<std::vector<int>>;  // the classes of each task

// "0,1|2,3" is {{0, 1}, {2, 3}}. Every class may occur once.
ClassOrder parse_class_order(std::string_view text);
// size classes a task, in ascending order: {{0, 1}, {2, 3}, ...}. size = C: everything at once.
ClassOrder classes_in_order(int C, int size = 2);

// One task for each group of classes, single head: labels stay what they are. validation of the
// training points, drawn at random by the seed over all tasks, are held out. Points of a class
// that is in no group are left out.
Stream split_stream(std::string name, Dataset train, Dataset test, const ClassOrder& order,
                    Index validation, std::uint64_t seed);

// All classes in every task. The first task has the columns as they are, each later one in a
// random order of its own, fixed by the seed; the same points are held out in all of them.
Stream permuted_stream(std::string name, Dataset train, Dataset test, Index tasks, Index validation,
                       std::uint64_t seed);

// The paper's toy data (toy.h): classes 0/1, then 2/3; {{0, 1, 2, 3}} sees them at once. 50
// points a class to learn from, 50 for validation, 1000 for the test.
Stream toy_stream(std::uint64_t seed, const ClassOrder& order = {{0, 1}, {2, 3}});

// All tasks of a stream as one, to be learned at once.
Stream joint_stream(const Stream& stream);

}  // namespace vargp
