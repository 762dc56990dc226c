// What the baselines promise, on data small enough to be sure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "vargp/baselines/kept_rows.h"
#include "vargp/baselines/make_baseline.h"
#include "vargp/baselines/random_features.h"
#include "vargp/baselines/vcl.h"
#include "vargp/core/exceptions.h"
#include "vargp/data/stream.h"
#include "vargp/eval/metrics.h"

namespace vargp {
namespace {

using testing::HasSubstr;

BaselineOptions small(BaselineKind model) {
  BaselineOptions o;
  o.model = model;
  o.hidden = {16};
  o.batch = 20;
  o.epochs = 30;
  o.learning_rate = 0.01;
  o.features = 300;
  o.lengthscale = 0.6;
  o.predict_samples = 20;
  o.buffer = 30;
  return o;
}

constexpr BaselineKind kAll[] = {
    BaselineKind::kVcl,           BaselineKind::kEwc,      BaselineKind::kSi,
    BaselineKind::kReplay,        BaselineKind::kFineTune, BaselineKind::kJoint,
    BaselineKind::kRandomFeatures};

double learn_all(Learner& learner, const Stream& stream) {
  for (Index t = 0; t < stream.tasks(); ++t)
    learner.learn(stream.train(t), stream.validation(t), {});
  std::vector<Dataset> tests;
  for (Index t = 0; t < stream.tasks(); ++t) tests.push_back(stream.test(t));
  const Dataset all = concatenate(tests);
  return accuracy(learner.probabilities(all.X, 0), all.y);
}

class Baselines : public testing::TestWithParam<BaselineKind> {};

TEST_P(Baselines, LearnOneTaskWithAllClasses) {
  const Stream stream = joint_stream(toy_stream(1));
  const auto learner = make_baseline(small(GetParam()), 2, 4);
  EXPECT_GT(learn_all(*learner, stream), 0.9);
  const Mat<double> p = learner->probabilities(stream.test(0).X, 0);
  EXPECT_LT((p.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-5);
  EXPECT_GE(p.minCoeff(), 0);
  EXPECT_EQ(learner->tasks(), 1);
}

TEST_P(Baselines, ThreadsAndRowsBesideARowDoNotMatter) {
  const Stream stream = toy_stream(1);
  const Dataset test = stream.test(0);
  BaselineOptions o = small(GetParam());
  o.batch = 100;
  o.epochs = 3;
  if (o.model == BaselineKind::kVcl) o.coreset = 5;
  Mat<double> p[2];
  for (int i = 0; i < 2; ++i) {
    const auto learner = make_baseline(o, 2, 4, 1 + 2 * i);
    learn_all(*learner, stream);
    p[i] = learner->probabilities(test.X, 0);
    const RowMat<float> some = test.X.middleRows(3, 5);
    EXPECT_EQ(learner->probabilities(some, 0), p[i].middleRows(3, 5));
  }
  EXPECT_EQ(p[0], p[1]);
}

TEST_P(Baselines, TheStateHoldsAllThatTheNextTaskNeeds) {
  const Stream stream = toy_stream(1);
  BaselineOptions o = small(GetParam());
  o.epochs = 3;
  if (o.model == BaselineKind::kVcl) o.coreset = 5;
  const auto one = make_baseline(o, 2, 4), other = make_baseline(o, 2, 4);
  one->learn(stream.train(0), stream.validation(0), {});
  State state = one->state();
  other->read(state);
  StateReader(state).finish();
  EXPECT_EQ(other->tasks(), 1);
  one->learn(stream.train(1), stream.validation(1), {});
  other->learn(stream.train(1), stream.validation(1), {});
  const Dataset test = stream.test(0);
  EXPECT_EQ(one->probabilities(test.X, 0), other->probabilities(test.X, 0));
  EXPECT_EQ(one->raw_rows(), other->raw_rows());
}

TEST_P(Baselines, LearningThatIsLeftLeavesTheModelAsItWas) {
  struct Stop {};
  const Stream stream = toy_stream(1);
  BaselineOptions o = small(GetParam());
  o.epochs = 3;
  const auto learner = make_baseline(o, 2, 4);
  learner->learn(stream.train(0), stream.validation(0), {});
  const Dataset test = stream.test(0);
  const Mat<double> before = learner->probabilities(test.X, 0);
  LearnHooks hooks;
  hooks.step = [](const auto&) { throw Stop(); };
  EXPECT_THROW(learner->learn(stream.train(1), stream.validation(1), hooks), Stop);
  EXPECT_EQ(learner->tasks(), 1);
  EXPECT_EQ(learner->probabilities(test.X, 0), before);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Baselines, testing::ValuesIn(kAll), [](const auto& one) {
  BaselineOptions o;
  o.model = one.param;
  std::string name = to_json(o)["model"];
  std::erase(name, '-');
  return name;
});

TEST(Joint, IsOneTaskWithTheUnionOfAllTasks) {
  const Stream stream = toy_stream(1), all = toy_stream(1, {{0, 1, 2, 3}});
  const Stream joint = joint_stream(stream);
  ASSERT_EQ(joint.tasks(), 1);
  EXPECT_EQ(joint.classes(0), all.classes(0));
  EXPECT_EQ(joint.train(0).X, all.train(0).X);
  EXPECT_EQ(joint.validation(0).y, all.validation(0).y);
  EXPECT_EQ(joint.test(0).X, all.test(0).X);
  const auto one = make_baseline(small(BaselineKind::kJoint), 2, 4),
             other = make_baseline(small(BaselineKind::kFineTune), 2, 4);
  learn_all(*one, joint);
  learn_all(*other, all);
  EXPECT_EQ(one->probabilities(all.test(0).X, 0), other->probabilities(all.test(0).X, 0));
}

TEST(Coreset, RowsAreNotInTheTrainingDataOfTheirTask) {
  const Stream stream = toy_stream(1);
  const Dataset train = stream.train(0);
  for (const CoresetChoice how : {CoresetChoice::kRandom, CoresetChoice::kKCentre}) {
    const auto rows = choose_rows(train.X, 7, how, Random(1, Purpose::kTest));
    const auto rest = all_but(rows, train.size());
    std::set<Index> both(rows.begin(), rows.end());
    EXPECT_EQ(both.size(), 7u);
    for (const Index row : rest) EXPECT_TRUE(both.insert(row).second) << row;
    EXPECT_EQ(std::ssize(both), train.size());
  }
  BaselineOptions o = small(BaselineKind::kVcl);
  o.coreset = 7;
  o.epochs = 1;
  Vcl vcl(o, 2, 4, 0);
  EXPECT_EQ(vcl.learn(train, stream.validation(0), {}).rows, train.size() - 7);
  vcl.learn(stream.train(1), stream.validation(1), {});
  EXPECT_EQ(vcl.raw_rows(), 14);
  ASSERT_EQ(vcl.coresets().size(), 2u);
}

TEST(Coreset, KCentreTakesTheFarthestNext) {
  RowMat<float> X(5, 1);
  X << 0, 1, 2, 10, 4;
  const auto rows = choose_rows(X, 5, CoresetChoice::kKCentre, Random(1, Purpose::kTest));
  // Whatever the first, 10 or 0 is the farthest from it; each later one from all before.
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto gap = [&](Index row) {
      float least = 1e9F;
      for (std::size_t j = 0; j < i; ++j) least = std::min(least, std::abs(X(row) - X(rows[j])));
      return least;
    };
    for (Index row = 0; row < 5; ++row) EXPECT_LE(gap(row), gap(rows[i]));
  }
}

// What is refined on the coreset predicts; what is carried to the next task is not refined.
TEST(Coreset, BringsBackAForgottenTaskWithoutTouchingThePosterior) {
  const Stream stream = toy_stream(1);
  BaselineOptions o = small(BaselineKind::kVcl);
  o.epochs = 100;
  o.coreset = 20;
  o.coreset_epochs = 0;
  Vcl without(o, 2, 4, 0);
  o.coreset_epochs = 300;
  Vcl with(o, 2, 4, 0);
  const double before = learn_all(without, stream), after = learn_all(with, stream);
  EXPECT_GT(after, before + 0.05);
  for (std::size_t l = 0; l < 2; ++l)
    EXPECT_EQ(with.posterior().mean[l], without.posterior().mean[l]);
}

// Steps in deviations of the prior: where all of them are 1/2, those of half the learning rate.
TEST(Vcl, WhitenedMeansMoveInDeviationsOfThePrior) {
  const Stream stream = toy_stream(1);
  BaselineOptions o = small(BaselineKind::kVcl);
  o.prior_variance = 0.25;
  o.variance_rate = 4;
  const auto learned = [&] {
    Vcl vcl(o, 2, 4, 0);
    vcl.learn(stream.train(0), stream.validation(0), {});
    return vcl.posterior();
  };
  const GaussianWeights plain = learned();
  o.whitened = true;
  const GaussianWeights whitened = learned();
  o.learning_rate *= 2;
  o.variance_rate /= 2;
  const GaussianWeights twice = learned();
  for (std::size_t l = 0; l < 2; ++l) {
    EXPECT_GT((whitened.mean[l] - plain.mean[l]).norm(), 0.1 * plain.mean[l].norm());
    EXPECT_LT((twice.mean[l] - plain.mean[l]).norm(), 1e-3 * plain.mean[l].norm());
    EXPECT_LT((twice.logvar[l] - plain.logvar[l]).norm(), 1e-3 * plain.logvar[l].norm());
  }
}

// The more a kept row counts, the better the kept rows are fitted; next to nothing leaves q alone.
TEST(Coreset, ARowMayCountAsMany) {
  const Stream stream = toy_stream(1);
  BaselineOptions o = small(BaselineKind::kVcl);
  o.coreset = 10;
  const auto nll_of_kept = [&](double weight, Index epochs) {
    o.coreset_weight = weight;
    o.coreset_epochs = epochs;
    Vcl vcl(o, 2, 4, 0);
    learn_all(vcl, stream);
    const Dataset kept = together(vcl.coresets(), 4);
    return nll(vcl.probabilities(kept.X, 0), kept.y);
  };
  const double none = nll_of_kept(1, 0), little = nll_of_kept(1e-6, 300), one = nll_of_kept(1, 300),
               many = nll_of_kept(100, 300);
  EXPECT_NEAR(little, none, 0.1 * none);
  EXPECT_LT(one, 0.8 * none);
  EXPECT_LT(many, 0.8 * one);
}

TEST(Vcl, WithoutDataThePosteriorKeepsThePrior) {
  // One point only, many steps: weights that it says nothing about go to their prior N(0, 1).
  Dataset one;
  one.X = RowMat<float>::Zero(1, 3);  // so the first layer's slopes do not matter
  one.y = {0};
  one.C = 2;
  BaselineOptions o = small(BaselineKind::kVcl);
  o.hidden = {4};
  o.epochs = 4000;
  o.batch = 1;
  Vcl vcl(o, 3, 2, 1);
  vcl.learn(one, empty_like(one), {});
  const auto slopes_mean = vcl.posterior().mean[0].leftCols(3);
  const auto slopes_var = vcl.posterior().logvar[0].leftCols(3).array().exp().eval();
  EXPECT_LT(slopes_mean.cwiseAbs().maxCoeff(), 0.05);
  EXPECT_LT((slopes_var - 1).abs().maxCoeff(), 0.1);
}

TEST(Replay, TheBufferIsSharedByAllTasksAndNeverLargerThanAsked) {
  const Stream stream = toy_stream(1);
  const auto learner = make_baseline(small(BaselineKind::kReplay), 2, 4);
  learner->learn(stream.train(0), stream.validation(0), {});
  EXPECT_EQ(learner->raw_rows(), 30);
  learner->learn(stream.train(1), stream.validation(1), {});
  EXPECT_EQ(learner->raw_rows(), 30);
}

TEST(Forgetting, FineTuningDoesAndReplayDoesLess) {
  const Stream stream = toy_stream(1);
  const auto plain = make_baseline(small(BaselineKind::kFineTune), 2, 4),
             replay = make_baseline(small(BaselineKind::kReplay), 2, 4);
  const double lower = learn_all(*plain, stream), better = learn_all(*replay, stream);
  EXPECT_LT(lower, 0.65);
  EXPECT_GT(better, 0.85);
}

TEST(Ewc, WithoutStrengthItIsFineTuning) {
  const Stream stream = toy_stream(1);
  for (const BaselineKind kind : {BaselineKind::kEwc, BaselineKind::kSi}) {
    BaselineOptions o = small(kind);
    o.strength = 0;
    const auto held = make_baseline(o, 2, 4),
               plain = make_baseline(small(BaselineKind::kFineTune), 2, 4);
    learn_all(*held, stream);
    learn_all(*plain, stream);
    const Dataset test = stream.test(0);
    EXPECT_EQ(held->probabilities(test.X, 0), plain->probabilities(test.X, 0));
  }
}

TEST(Ewc, ALargeStrengthHoldsTheFirstTaskWithHeadsOfTheirOwn) {
  const Stream stream = toy_stream(1);
  for (const BaselineKind kind : {BaselineKind::kEwc, BaselineKind::kSi}) {
    BaselineOptions o = small(kind);
    o.strength = 100;
    o.heads = Heads::kPerTask;
    const auto learner = make_baseline(o, 2, 4);
    const Dataset test0 = stream.test(0), test1 = stream.test(1);
    EXPECT_DOUBLE_EQ(learner->probabilities(test1.X, 1)(0, 0), 0.25);  // nothing learned yet
    learn_all(*learner, stream);
    const Mat<double> p = learner->probabilities(test0.X, 0);
    EXPECT_GT(accuracy(p, test0.y), 0.95);
    EXPECT_EQ(p.rightCols(2).maxCoeff(), 0);  // a head gives its own classes only
    EXPECT_GT(accuracy(learner->probabilities(test1.X, 1), test1.y), 0.9);
  }
}

TEST(RandomFeaturesTest, TheOrderOfTheTasksDoesNotMatter) {
  const Stream forth = toy_stream(1), back = toy_stream(1, {{2, 3}, {0, 1}});
  for (const Readout readout : {Readout::kRidge, Readout::kLda}) {
    BaselineOptions o = small(BaselineKind::kRandomFeatures);
    o.readout = readout;
    const auto one = make_baseline(o, 2, 4), other = make_baseline(o, 2, 4);
    EXPECT_GT(learn_all(*one, forth), 0.93);
    learn_all(*other, back);
    const Dataset test = forth.test(1);
    const Mat<double> p = one->probabilities(test.X, 0), q = other->probabilities(test.X, 0);
    for (Index i = 0; i < p.rows(); ++i) {
      Index a = 0, b = 0;
      p.row(i).maxCoeff(&a);
      q.row(i).maxCoeff(&b);
      EXPECT_TRUE(a == b || std::abs(p(i, a) - p(i, b)) < 1e-2) << i;
    }
  }
}

TEST(BaselineSettings, NamesComeBackAndErrorsNameFields) {
  BaselineOptions o;
  set(o, "hidden", "100,50");
  EXPECT_EQ(o.hidden, (std::vector<Index>{100, 50}));
  set(o, "hidden", "100");
  set(o, "coreset", "50");
  BaselineOptions other;
  const auto written = to_json(o);
  for (const auto& [name, value] : written.items()) set(other, name, value);
  EXPECT_EQ(to_json(other), to_json(o));
  const auto said = [&](const char* name, const char* value) -> std::string {
    try {
      set(o, name, value);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(said("hidden", "100,x"),
            "hidden = 100,x: must be whole numbers with commas between them");
  EXPECT_EQ(said("heads", "two"), "heads = two: must be one of single, per-task");
  EXPECT_THAT(said("inducing", "3"),
              HasSubstr("inducing: there is no such setting; there are model"));
}

// What a model does not have is refused, not passed over.
TEST(BaselineSettings, OfOneModelAreRefusedForOthers) {
  const auto said = [](const char* name, const char* value) -> std::string {
    BaselineOptions o;
    set(o, name, value);
    EXPECT_NO_THROW(o.validate()) << name;  // of vcl
    o.model = BaselineKind::kEwc;
    try {
      o.validate();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(said("coreset", "50"), "coreset = 50: only vcl has one");
  EXPECT_EQ(said("coreset-weight", "20"), "coreset-weight = 20: only vcl has a coreset");
  EXPECT_EQ(said("whitened", "true"), "whitened = true: only vcl has a prior to measure steps by");
  EXPECT_EQ(said("decay", "true"), "decay = true: only vcl's steps get shorter");
}

}  // namespace
}  // namespace vargp
