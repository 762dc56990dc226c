#include "vargp/data/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "vargp/core/error.h"

namespace vargp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Point i has the class i mod C and the columns i, i + 0.25, i + 0.5, ...
Dataset numbered(Index N, int C, Index D = 4) {
  Dataset data;
  data.C = C;
  data.X.resize(N, D);
  for (Index i = 0; i < N; ++i) {
    for (Index d = 0; d < D; ++d)
      data.X(i, d) = static_cast<float>(i) + 0.25f * static_cast<float>(d);
    data.y.push_back(static_cast<int>(i) % C);
  }
  return data;
}

std::set<float> points(const Dataset& data) { return {data.X.col(0).begin(), data.X.col(0).end()}; }

TEST(ClassOrder, IsReadFromText) {
  EXPECT_THAT(parse_class_order("0,1|2,3|4,5"),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5)));
  EXPECT_THAT(parse_class_order("7"), ElementsAre(ElementsAre(7)));
  EXPECT_THAT(parse_class_order("9|0,12"), ElementsAre(ElementsAre(9), ElementsAre(0, 12)));
}

TEST(ClassOrder, RefusesWhatIsNoOrderAndSaysWhere) {
  for (const char* text : {"", "|", "0,", "0||1", "a", "-1", "0,1|", "99999999999"})
    EXPECT_THAT([&] { parse_class_order(text); },
                ThrowsMessage<Error>(HasSubstr("expected a class")))
        << text;
  EXPECT_THAT([] { parse_class_order("0;1"); }, ThrowsMessage<Error>(HasSubstr("position 1: ';'")));
  EXPECT_THAT([] { parse_class_order("0,1|1"); },
              ThrowsMessage<Error>(HasSubstr("class 1 occurs twice")));
}

TEST(ClassOrder, InOrderGroupsAscendingClasses) {
  EXPECT_THAT(classes_in_order(5),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4)));
  EXPECT_THAT(classes_in_order(3, 3), ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(SplitStream, GivesEveryPointToTheTaskOfItsClassOnce) {
  const Stream stream =
      split_stream("split", numbered(100, 5), numbered(50, 5), {{3, 1}, {0, 2}, {4}}, 30, 7);
  ASSERT_EQ(stream.tasks(), 3);
  EXPECT_EQ(stream.C(), 5);
  EXPECT_EQ(stream.D(), 4);
  EXPECT_THAT(stream.classes(0), ElementsAre(1, 3));
  Index validation = 0;
  std::set<float> seen;
  for (Index t = 0; t < stream.tasks(); ++t) {
    const Task task = stream.task(t);
    validation += task.validation.size();
    for (const Dataset* data : {&task.train, &task.validation, &task.test})
      for (const int k : data->y)
        EXPECT_TRUE(std::binary_search(task.classes.begin(), task.classes.end(), k));
    for (const Dataset* data : {&task.train, &task.validation})
      for (const float x : points(*data)) EXPECT_TRUE(seen.insert(x).second);
    EXPECT_EQ(task.test.size(), 10 * std::ssize(task.classes));
  }
  EXPECT_EQ(validation, 30);
  EXPECT_EQ(seen.size(), 100u);
}

TEST(SplitStream, LeavesOutClassesThatAreInNoTask) {
  const Stream stream = split_stream("split", numbered(100, 5), numbered(50, 5), {{0}, {1}}, 0, 7);
  EXPECT_EQ(stream.train(0).size() + stream.train(1).size(), 40);
  EXPECT_EQ(stream.validation(0).size(), 0);
  EXPECT_EQ(stream.validation(0).X.cols(), 4);
}

TEST(SplitStream, HoldsOutPointsByTheSeed) {
  const auto held = [](std::uint64_t seed) {
    return points(
        split_stream("split", numbered(100, 2), numbered(50, 2), {{0, 1}}, 20, seed).validation(0));
  };
  EXPECT_EQ(held(1), held(1));
  EXPECT_NE(held(1), held(2));
}

TEST(SplitStream, RefusesOrdersThatDoNotFitTheData) {
  const auto make = [](const ClassOrder& order, Index validation) {
    return [=] { split_stream("split", numbered(10, 3), numbered(10, 3), order, validation, 1); };
  };
  EXPECT_THAT(make({{0, 3}}, 0), ThrowsMessage<Error>(HasSubstr("class 3, expected 0 to 2")));
  EXPECT_THAT(make({{0}, {0}}, 0), ThrowsMessage<Error>(HasSubstr("class 0 occurs twice")));
  EXPECT_THAT(make({{0}, {}}, 0), ThrowsMessage<Error>(HasSubstr("task 1 has no class")));
  EXPECT_THAT(make({}, 0), ThrowsMessage<Error>(HasSubstr("no task")));
  EXPECT_THAT(make({{0}}, 10), ThrowsMessage<Error>(HasSubstr("10 points held out")));
}

TEST(PermutedStream, KeepsTheFirstTaskAndPermutesTheOthers) {
  const Dataset data = numbered(40, 2, 16);
  const Stream stream = permuted_stream("permuted", data, data, 3, 10, 7);
  ASSERT_EQ(stream.tasks(), 3);
  const Dataset first = stream.train(0);
  EXPECT_EQ(stream.test(0).X, data.X);
  for (Index t = 1; t < 3; ++t) {
    const Dataset later = stream.train(t);
    EXPECT_EQ(later.y, first.y);
    const auto& columns = stream.part(t).columns;
    for (Index d = 0; d < 16; ++d)
      EXPECT_EQ(later.X.col(d), first.X.col(columns[static_cast<std::size_t>(d)]));
    EXPECT_EQ(std::set<Index>(columns.begin(), columns.end()).size(), 16u);
    EXPECT_NE(later.X, stream.train(t - 1).X);
  }
}

TEST(PermutedStream, IsFixedByTheSeedNotByTheNumberOfTasks) {
  const Dataset data = numbered(40, 2, 16);
  const Stream three = permuted_stream("permuted", data, data, 3, 10, 7);
  const Stream two = permuted_stream("permuted", data, data, 2, 10, 7);
  const Stream other = permuted_stream("permuted", data, data, 2, 10, 8);
  EXPECT_EQ(three.train(1).X, two.train(1).X);
  EXPECT_NE(other.part(1).columns, two.part(1).columns);
}

TEST(ToyStream, ShowsTwoClassesThenTheOtherTwo) {
  const Stream stream = toy_stream(1);
  ASSERT_EQ(stream.tasks(), 2);
  EXPECT_EQ(stream.C(), 4);
  EXPECT_THAT(stream.classes(0), ElementsAre(0, 1));
  EXPECT_THAT(stream.classes(1), ElementsAre(2, 3));
  EXPECT_EQ(stream.train(1).size(), 100);
  EXPECT_EQ(stream.validation(1).size(), 100);
  EXPECT_EQ(stream.test(1).size(), 2000);
}

TEST(ToyStream, CanBeSeenAtOnce) {
  const Stream joint = toy_stream(1, {{0, 1, 2, 3}});
  ASSERT_EQ(joint.tasks(), 1);
  EXPECT_EQ(joint.train(0).X.topRows(100), toy_stream(1).train(0).X);
}

}  // namespace
}  // namespace vargp
