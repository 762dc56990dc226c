// Statements about the public classes: what holds for every model, precision and input.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "vargp/core/random.h"
#include "vargp/data/toy.h"
#include "vargp/io/state.h"
#include "vargp/vargp.h"

namespace vargp {
namespace {

using Rows = RowMat<double>;

struct Data {
  Rows X;
  std::vector<int> y;
};

// Class c around (2c, 0, ...), with the labels that are listed.
Data blobs(std::uint64_t seed, Index N, Index D, const std::vector<int>& labels) {
  Random random(seed, Purpose::kTest);
  Data data{0.6 * random.normals<double>(N, D), {}};
  for (Index i = 0; i < N; ++i) {
    const int label = labels[static_cast<std::size_t>(i) % labels.size()];
    data.X(i, 0) += 2 * label;
    data.y.push_back(label);
  }
  return data;
}

ClassifierOptions options_of(ModelKind model, LikelihoodKind likelihood) {
  ClassifierOptions o;
  o.model = model;
  o.likelihood = likelihood;
  o.inducing = 15;
  o.lengthscale_factor = 0.4;
  o.scale = 2;
  o.epochs = 10;
  if (model == ModelKind::kVarGp) {
    o.hyper = HyperTreatment::kPosterior;
    o.learn_inducing = true;
  }
  return o;
}

struct Case {
  ModelKind model;
  LikelihoodKind likelihood;
  Precision precision;
};

class EveryModel : public testing::TestWithParam<Case> {
 protected:
  ClassifierOptions options() const {
    ClassifierOptions o = options_of(GetParam().model, GetParam().likelihood);
    o.precision = GetParam().precision;
    return o;
  }
};

TEST_P(EveryModel, LearnsTwoTasksAndKeepsTheFirst) {
  ClassifierOptions o = options();
  o.classes = {0, 1, 2, 3};
  Classifier model(o);
  const Data one = blobs(1, 200, 2, {0, 1}), two = blobs(2, 200, 2, {2, 3});
  model.learn(one.X, one.y);
  model.learn(two.X, two.y);
  const Data test = blobs(3, 400, 2, {0, 1, 2, 3});
  const ClassPrediction p = model.predict(test.X);
  int right = 0;
  for (std::size_t i = 0; i < test.y.size(); ++i) right += p.label[i] == test.y[i];
  EXPECT_GT(right, 0.85 * 400);
  EXPECT_LT((p.probability.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-5);
  EXPECT_GE(p.var.minCoeff(), 0);
  // Far from all data it does not know.
  Rows far = Rows::Constant(1, 2, 50);
  EXPECT_GT(model.predict(far).entropy(0), 0.6 * std::log(4.0));
}

TEST_P(EveryModel, ClassesMayGrowInAnyOrder) {
  Classifier model(options());
  const Data one = blobs(1, 100, 2, {7, 1}), two = blobs(2, 100, 2, {4, 7});
  model.learn(one.X, one.y);
  EXPECT_EQ(model.classes(), (std::vector<int>{1, 7}));
  EXPECT_EQ(model.predict(one.X).probability.cols(), 2);
  model.learn(two.X, two.y);
  EXPECT_EQ(model.classes(), (std::vector<int>{1, 7, 4}));
  const Data test = blobs(3, 300, 2, {1, 4, 7});
  const auto p = model.predict(test.X);
  int right = 0;
  for (std::size_t i = 0; i < test.y.size(); ++i) right += p.label[i] == test.y[i];
  EXPECT_GT(right, 0.85 * 300);
}

TEST_P(EveryModel, ARowsPredictionDoesNotDependOnTheRowsAroundIt) {
  Classifier model(options());
  const Data data = blobs(1, 300, 3, {0, 1, 2});
  model.learn(data.X, data.y);
  const Rows X = blobs(2, 700, 3, {0, 1, 2}).X;
  const auto all = model.predict(X);
  const auto order = Random(4, Purpose::kTest).permutation(700);
  Rows shuffled(700, 3);
  for (Index i = 0; i < 700; ++i) shuffled.row(i) = X.row(order[static_cast<std::size_t>(i)]);
  const auto mixed = model.predict(shuffled);
  for (Index i = 0; i < 700; ++i) {
    const Index j = order[static_cast<std::size_t>(i)];
    ASSERT_EQ(mixed.probability.row(i), all.probability.row(j)) << "row " << j;
    ASSERT_EQ(mixed.var.row(i), all.var.row(j)) << "row " << j;
  }
  for (const Index i : {0, 1, 17, 255, 256, 699}) {
    const auto alone = model.predict(Rows(X.row(i)));
    ASSERT_EQ(alone.probability.row(0), all.probability.row(i)) << "row " << i;
    ASSERT_EQ(alone.mean.row(0), all.mean.row(i)) << "row " << i;
  }
}

TEST_P(EveryModel, HasTheSameBitsTwiceAndWithAnyNumberOfThreads) {
  const Data one = blobs(1, 700, 3, {0, 1}), two = blobs(2, 700, 3, {1, 2});
  const Rows X = blobs(3, 50, 3, {0, 1, 2}).X;
  const auto learned = [&](int threads) {
    ClassifierOptions o = options();
    o.threads = threads;
    o.epochs = 3;
    Classifier model(o);
    model.learn(one.X, one.y);
    model.learn(two.X, two.y);
    return model.predict(X);
  };
  const auto first = learned(1);
  for (const int threads : {1, 2, 3, 8}) {
    const auto again = learned(threads);
    EXPECT_EQ(again.probability, first.probability) << threads << " threads";
    EXPECT_EQ(again.var, first.var) << threads << " threads";
  }
}

TEST_P(EveryModel, SurvivesDegenerateData) {
  const auto learns = [&](const Data& data, ClassifierOptions o) {
    Classifier model(o);
    try {
      model.learn(data.X, data.y);
    } catch (const NumericalError& e) {
      EXPECT_GT(std::string(e.what()).size(), 20u);  // it says why
      return;
    }
    const auto p = model.predict(data.X);
    EXPECT_TRUE(p.probability.allFinite());
    EXPECT_TRUE(p.mean.allFinite());
    EXPECT_TRUE(p.var.allFinite());
  };
  Data duplicated = blobs(1, 60, 2, {0, 1});
  for (Index i = 1; i < 60; ++i) duplicated.X.row(i) = duplicated.X.row(i % 2);
  learns(duplicated, options());
  Data constant = blobs(1, 60, 3, {0, 1});
  constant.X.col(1).setConstant(4);
  learns(constant, options());
  Data all_the_same = blobs(1, 20, 2, {0, 1});
  all_the_same.X.setZero();
  learns(all_the_same, options());
  learns(blobs(1, 60, 2, {3}), options());    // one class only
  learns(blobs(1, 5, 2, {0, 1}), options());  // fewer points than inducing points
  learns(blobs(1, 1, 2, {0}), options());
  for (const double lengthscale : {1e-6, 1e6}) {
    ClassifierOptions o = options();
    o.lengthscale = lengthscale;
    learns(blobs(1, 60, 2, {0, 1}), o);
  }
}

TEST_P(EveryModel, AFailedTaskLeavesTheModelAsItWas) {
  Classifier model(options());
  const Data one = blobs(1, 100, 2, {0, 1}), two = blobs(2, 100, 2, {2, 3});
  model.learn(one.X, one.y);
  const auto before = model.predict(one.X);
  EXPECT_THROW(model.learn(two.X, two.y, [](const Progress&) { throw std::runtime_error("stop"); }),
               std::runtime_error);
  EXPECT_EQ(model.tasks(), 1);
  EXPECT_EQ(model.classes(), (std::vector<int>{0, 1}));
  EXPECT_EQ(model.predict(one.X).probability, before.probability);
}

TEST_P(EveryModel, ComesBackFromAFileWithTheSameBits) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / ("vargp_model_" + std::to_string(getpid()));
  ClassifierOptions o = options();
  o.epochs = 3;
  Classifier model(o);
  const Data one = blobs(1, 100, 2, {0, 1}), two = blobs(2, 100, 2, {3, 2});
  const Rows X = blobs(3, 50, 2, {0, 1, 2, 3}).X;
  model.save(path);
  Classifier back = Classifier::load(path);  // knows nothing, as the other
  for (const Data& task : {one, two}) {
    model.learn(task.X, task.y);
    back.learn(task.X, task.y);
    model.save(path);
    Classifier again = Classifier::load(path);
    for (Classifier* other : {&back, &again}) {
      EXPECT_EQ(other->classes(), model.classes());
      EXPECT_EQ(other->tasks(), model.tasks());
      EXPECT_EQ(other->theta().deviation, model.theta().deviation);
      EXPECT_EQ(other->predict(X).probability, model.predict(X).probability);
      EXPECT_EQ(other->probabilities(X), model.predict(X).probability);
      EXPECT_EQ(other->predict(X).var, model.predict(X).var);
    }
    back = again;  // learns on
  }
  EXPECT_THROW(Regressor::load(path), Error);
  std::filesystem::remove(path);
}

TEST_P(EveryModel, GoesOnFromAnyStepWithTheSameBits) {
  struct Stop {};
  ClassifierOptions o = options();
  o.epochs = 2;
  o.batch = 40;
  const Data one = blobs(1, 100, 2, {0, 1}), two = blobs(2, 100, 2, {2, 3});
  Classifier before(o);
  before.learn(one.X, one.y, blobs(4, 20, 2, {0, 1}).X, blobs(4, 20, 2, {0, 1}).y);
  const auto learn = [&](Classifier& model, const LearnHooks& hooks) {
    return model.learn(two.X, two.y, blobs(5, 20, 2, {2, 3}).X, blobs(5, 20, 2, {2, 3}).y, hooks);
  };
  Classifier whole = before;
  int steps = 0;
  LearnHooks count;
  count.step = [&](const auto&) { ++steps; };
  const LearnReport report = learn(whole, count);
  ASSERT_GE(steps, 3);
  for (int stop = 1; stop <= steps; ++stop) {
    Classifier model = before;
    State state;
    int step = 0;
    LearnHooks hooks;
    hooks.step = [&](const auto& under_way) {
      if (++step < stop) return;
      StateWriter writer(state, "task/");
      if (under_way) under_way(writer);
      throw Stop();
    };
    ASSERT_THROW(learn(model, hooks), Stop);
    EXPECT_EQ(model.predict(one.X).probability, before.predict(one.X).probability);
    StateReader reader(state, "task/");
    LearnHooks resume;
    if (!state.tensors.empty()) resume.resume = &reader;
    const LearnReport again = learn(model, resume);
    EXPECT_TRUE(state.tensors.empty());
    EXPECT_EQ(again.bound, report.bound) << "stopped after step " << stop;
    EXPECT_EQ(again.epochs, report.epochs);
    EXPECT_EQ(again.validation, report.validation);
    EXPECT_EQ(model.predict(one.X).probability, whole.predict(one.X).probability);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, EveryModel,
    testing::Values(Case{ModelKind::kCoupled, LikelihoodKind::kGaussian, Precision::kDouble},
                    Case{ModelKind::kCoupled, LikelihoodKind::kGaussian, Precision::kFloat},
                    Case{ModelKind::kCoupled, LikelihoodKind::kSoftmax, Precision::kDouble},
                    Case{ModelKind::kCoupled, LikelihoodKind::kSoftmax, Precision::kFloat},
                    Case{ModelKind::kVarGp, LikelihoodKind::kGaussian, Precision::kDouble},
                    Case{ModelKind::kVarGp, LikelihoodKind::kSoftmax, Precision::kDouble},
                    Case{ModelKind::kVarGp, LikelihoodKind::kSoftmax, Precision::kFloat}),
    [](const auto& one) {
      return std::string(one.param.model == ModelKind::kCoupled ? "Coupled" : "VarGp") +
             (one.param.likelihood == LikelihoodKind::kGaussian ? "Gaussian" : "Softmax") +
             (one.param.precision == Precision::kFloat ? "Float" : "Double");
    });

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.what();
  }
  return "(no error)";
}

TEST(Classifier, NamesTheRowAndColumnOfWhatIsNotANumber) {
  Data data = blobs(1, 20, 3, {0, 1});
  data.X(7, 2) = std::numeric_limits<double>::quiet_NaN();
  Classifier model;
  EXPECT_EQ(message_of([&] { model.learn(data.X, data.y); }),
            "X has nan in row 7, column 2 (counted from 0): every value must be a finite number");
  data.X(7, 2) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message_of([&] { model.learn(data.X, data.y); }),
            "X has inf in row 7, column 2 (counted from 0): every value must be a finite number");
  EXPECT_EQ(model.tasks(), 0);
}

TEST(Classifier, SaysWhatIsWrongWithItsArguments) {
  const Data data = blobs(1, 20, 3, {0, 1});
  Classifier model;
  EXPECT_EQ(message_of([&] { model.predict(data.X); }),
            "the model has not learned anything yet: call learn first");
  EXPECT_EQ(message_of([&] { model.learn(data.X, {0, 1}); }), "X has 20 rows, y has 2 labels");
  model.learn(data.X, data.y);
  EXPECT_EQ(message_of([&] { model.predict(Rows::Zero(2, 4).eval()); }),
            "X has 4 columns, the model was learned with 3");
  EXPECT_EQ(message_of([&] {
              model.learn(Rows::Zero(2, 4).eval(), {0, 1});
            }),
            "X has 4 columns, the tasks before had 3");
  ClassifierOptions fixed;
  fixed.classes = {0, 5};
  Classifier two(fixed);
  EXPECT_EQ(message_of([&] { two.learn(data.X, data.y); }),
            "y has the label 1 in row 1 (counted from 0), which is none of the 2 classes");
}

TEST(Options, NameTheFieldItsValueAndTheRule) {
  ClassifierOptions o;
  o.inducing = 0;
  EXPECT_EQ(message_of([&] { Classifier{o}; }), "inducing = 0: must be at least 1");
  o = {};
  o.learning_rate = -1;
  EXPECT_EQ(message_of([&] { Classifier{o}; }), "learning_rate = -1: must be a number above 0");
  o = {};
  o.validation = 1.5;
  EXPECT_EQ(message_of([&] { Classifier{o}; }), "validation = 1.5: must be in [0, 1)");
  o = {};
  o.classes = {1, 2, 1};
  EXPECT_EQ(message_of([&] { Classifier{o}; }), "classes: 1 is listed twice");
}

TEST(Regressor, LearnsSeveralTargetsOneRegionAfterTheOther) {
  RegressorOptions o;
  o.inducing = 40;
  o.hyper = HyperTreatment::kPoint;
  o.learning_rate = 0.05;
  o.noise = 0.01;
  Regressor model(o);
  const auto region = [](double low, std::uint64_t seed, Rows& X, Eigen::MatrixXd& Y) {
    Random random(seed, Purpose::kTest);
    X.resize(300, 1);
    Y.resize(300, 2);
    for (Index i = 0; i < 300; ++i) {
      X(i, 0) = low + 3 * random.uniform();
      Y(i, 0) = 100 + 10 * std::sin(2 * X(i, 0)) + 0.3 * random.normal();
      Y(i, 1) = X(i, 0) + 0.05 * random.normal();
    }
  };
  Rows X;
  Eigen::MatrixXd Y;
  for (const double low : {0.0, 2.5, 5.0}) {
    region(low, static_cast<std::uint64_t>(10 * low), X, Y);
    model.learn(X, Y);
  }
  for (const double low : {0.0, 2.5, 5.0}) {
    region(low, 99, X, Y);
    const auto p = model.predict(X);
    EXPECT_LT(std::sqrt((p.mean.col(0) - Y.col(0)).squaredNorm() / 300), 1.0) << low;
    EXPECT_LT(std::sqrt((p.mean.col(1) - Y.col(1)).squaredNorm() / 300), 0.3) << low;
  }
  // Where nothing was seen the answer is the mean, with the variance of the prior.
  const auto far = model.predict(Rows::Constant(1, 1, 1000.0).eval());
  EXPECT_GT(far.var(0, 0), 10 * model.predict(X).var(0, 0));
}

TEST(Regressor, ComesBackFromAFileWithTheSameBits) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / ("vargp_model_" + std::to_string(getpid()));
  Regressor model;
  const Rows X = blobs(1, 60, 2, {0, 1}).X;
  const Eigen::MatrixXd Y = 100 * X + Eigen::MatrixXd::Constant(60, 2, 7);
  model.learn(X, Y);
  model.save(path);
  Regressor back = Regressor::load(path);
  EXPECT_EQ(back.predict(X).mean, model.predict(X).mean);
  EXPECT_EQ(back.predict(X).noise, model.predict(X).noise);
  back.learn(X, Y);
  model.learn(X, Y);
  EXPECT_EQ(back.predict(X).var, model.predict(X).var);
  std::filesystem::remove(path);
}

TEST(Regressor, NamesTheTargetThatIsNotANumber) {
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(3, 2);
  Y(1, 1) = std::numeric_limits<double>::quiet_NaN();
  Regressor model;
  EXPECT_EQ(message_of([&] { model.learn(Rows::Zero(3, 1).eval(), Y); }),
            "Y has nan in row 1, column 1 (counted from 0): every value must be a finite number");
}

}  // namespace
}  // namespace vargp
