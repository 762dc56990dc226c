// The paper's toy experiment: classes 0/1, then 2/3, each seen once.
#include "vargp/data/toy.h"

#include <gtest/gtest.h>

#include "vargp/api/classifier.h"
#include "vargp/eval/metrics.h"
#include "vargp/experiment/presets.h"
#include "vargp/experiment/runner.h"

namespace vargp {
namespace {

struct Case {
  ModelKind model;
  std::uint64_t seed;
};

class Toy : public testing::TestWithParam<Case> {};

// Mean probability of the right class.
double probability_of_right(const Classifier& model, const Dataset& data) {
  const Eigen::MatrixXd p = model.predict(data.X).probability;
  double sum = 0;
  for (Index i = 0; i < data.size(); ++i) sum += p(i, data.y[static_cast<std::size_t>(i)]);
  return sum / static_cast<double>(data.size());
}

TEST_P(Toy, TwoTasksDoNearlyAsWellAsAllAtOnceAndTheFirstIsNotForgotten) {
  const auto [kind, seed] = GetParam();
  ClassifierOptions options;
  static_cast<Options&>(options) = preset("toy", kind, "default");
  options.seed = seed;
  options.classes = {0, 1, 2, 3};
  const Dataset test = toy(seed, 1000, ToySet::kTest);

  Classifier sequential(options);
  const Stream stream = toy_stream(seed);
  const auto learn = [](Classifier& model, const Stream& s, Index t) {
    const Task task = s.task(t);
    model.learn(task.train.X, task.train.y, task.validation.X, task.validation.y);
  };
  learn(sequential, stream, 0);
  const double before = probability_of_right(sequential, stream.test(0));
  learn(sequential, stream, 1);
  const double after = probability_of_right(sequential, stream.test(0));
  EXPECT_LT(before - after, 0.2);

  Classifier joint(options);
  learn(joint, toy_stream(seed, {{0, 1, 2, 3}}), 0);
  const double one_by_one = accuracy(sequential.predict(test.X).probability, test.y);
  const double at_once = accuracy(joint.predict(test.X).probability, test.y);
  EXPECT_GT(one_by_one, at_once - 0.02) << one_by_one << " against " << at_once;
  EXPECT_GT(at_once, 0.93);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const ModelKind model : {ModelKind::kVarGp, ModelKind::kCoupled})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) all.push_back({model, seed});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Toy, testing::ValuesIn(cases()), [](const auto& one) {
  return std::string(one.param.model == ModelKind::kVarGp ? "VarGp" : "Coupled") +
         std::to_string(one.param.seed);
});

TEST(Run, TheSameSeedGivesTheSameRecordButForTimes) {
  const Stream stream = toy_stream(1);
  Options options = preset("toy", ModelKind::kVarGp, "quick");
  options.epochs = 5;
  const auto record_of = [&](int threads) {
    auto record = run(stream, {"toy", "quick", options, threads, false}, {});
    for (const char* key : {"learn_seconds", "evaluate_seconds", "threads"}) record.erase(key);
    return record;
  };
  const auto first = record_of(1);
  EXPECT_EQ(first, record_of(1));
  EXPECT_EQ(first, record_of(3));
  EXPECT_EQ(first["accuracy_matrix"].size(), 2u);
  EXPECT_EQ(first["surfaces"].size(), 2u);
  EXPECT_EQ(first["surfaces"][0].size(), 4u);
  EXPECT_EQ(first["surfaces"][0][0].size(), 61u);
}

}  // namespace
}  // namespace vargp
