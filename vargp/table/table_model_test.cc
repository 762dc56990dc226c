// Statements about a model of a person's data: its columns, history, watch and file.
#include "vargp/table/table_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <memory>

#include "fuzz/reseal.h"
#include "vargp/core/exceptions.h"
#include "vargp/core/random.h"
#include "vargp/io/safetensors.h"

namespace vargp {
namespace {

using Rows = RowMat<double>;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kFeatures = {"age", "income"};

struct Data {
  Rows X;
  std::vector<std::string> y;
};

// Class k around age 30 + 20 k, with incomes in the thousands.
Data people(std::uint64_t seed, Index N, const std::vector<std::string>& names, int first = 0) {
  Random random(seed, Purpose::kTest);
  Data data{random.normals<double>(N, 2), {}};
  for (Index i = 0; i < N; ++i) {
    const auto k = static_cast<std::size_t>(i) % names.size();
    data.X(i, 0) = 30 + 20 * (first + static_cast<double>(k)) + 4 * data.X(i, 0);
    data.X(i, 1) = 3000 + 500 * data.X(i, 1);
    data.y.push_back(names[k]);
  }
  return data;
}

double accuracy(const TableModel& model, const Data& data) {
  const TablePrediction p = model.predict(data.X, kFeatures);
  double right = 0;
  for (std::size_t i = 0; i < data.y.size(); ++i)
    right += model.classes()[static_cast<std::size_t>(p.label[i])] == data.y[i];
  return right / static_cast<double>(data.y.size());
}

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(TableModel, LearnsClassesByNameWhateverTheUnitsOfTheColumns) {
  TableModel model;
  const Data one = people(1, 200, {"young", "grown"}), two = people(2, 200, {"old", "older"}, 2);
  const TableReport first = model.learn(one.X, one.y, {.features = kFeatures, .source = "one.csv"});
  EXPECT_THAT(first.new_classes, ElementsAre("grown", "young"));
  EXPECT_THAT(first.record.class_rows, ElementsAre(100, 100));
  EXPECT_EQ(first.record.rows, 200);
  ASSERT_TRUE(first.record.validation.has_value());
  EXPECT_GT(*first.record.validation, 0.9);
  const TableReport second = model.learn(two.X, two.y, {.features = kFeatures});
  EXPECT_THAT(second.new_classes, ElementsAre("old", "older"));
  EXPECT_EQ(second.task, 2);
  EXPECT_THAT(model.classes(), ElementsAre("grown", "young", "old", "older"));
  EXPECT_GT(accuracy(model, people(3, 400, {"young", "grown", "old", "older"})), 0.95);
  // In the users' units.
  EXPECT_NEAR(model.inducing_inputs()[0].col(1).mean(), 3000, 200);
  EXPECT_THAT(model.history()[0].source, "one.csv");
}

TEST(TableModel, OneClassAtATimeIsEnough) {
  TableModel model;
  const std::vector<std::string> names = {"a", "b", "c"};
  for (int k = 0; k < 3; ++k) {
    const Data data =
        people(static_cast<std::uint64_t>(k), 100, {names[static_cast<std::size_t>(k)]}, k);
    model.learn(data.X, data.y, {.features = kFeatures});
  }
  const Data test = people(9, 300, names);
  EXPECT_GT(accuracy(model, test), 0.95);
  const TablePrediction p = model.predict(test.X, kFeatures);
  EXPECT_LT(p.entropy.mean(), 0.5);
  EXPECT_GT(p.entropy.mean(), 0.001);
}

TEST(TableModel, WhatWasLearnedFromTheFirstTaskStandardisesAllOthers) {
  TableModel model;
  const Data data = people(1, 300, {"young", "grown"});
  model.learn(data.X, data.y, {.features = kFeatures});
  const Column& income = model.schema().columns[1];
  EXPECT_NEAR(income.mean, data.X.col(1).mean(), 1e-9);
  const double mean = income.mean;
  Data later = people(2, 100, {"young", "grown"});
  later.X.col(1).array() += 1000;
  model.learn(later.X, later.y, {.features = kFeatures});
  EXPECT_EQ(model.schema().columns[1].mean, mean);
  // A lengthscale in the users' units is deviations times the deviation.
  const auto l = model.lengthscales();
  EXPECT_EQ(l[1].input, "income");
  EXPECT_NEAR(l[1].units, l[1].value * income.deviation, 1e-9);
}

TEST(TableModel, ColumnsAreMatchedByName) {
  TableModel model;
  const Data data = people(1, 200, {"young", "grown"});
  model.learn(data.X, data.y, {.features = kFeatures});
  const Rows turned = data.X.rowwise().reverse();
  const std::vector<std::string> names = {"income", "age"};
  EXPECT_EQ(model.predict(turned, names).probability, model.predict(data.X, kFeatures).probability);
  EXPECT_EQ(model.predict(data.X).probability, model.predict(data.X, kFeatures).probability);
  const std::vector<std::string> other = {"age", "height"};
  EXPECT_THAT(error_of([&] { model.predict(data.X, other); }),
              AllOf(HasSubstr("missing: income"), HasSubstr("unknown: height")));
  EXPECT_THAT(error_of([&] { model.predict(Rows(data.X.leftCols(1))); }), HasSubstr("1 columns"));
}

TEST(TableModel, GivenClassesAreAllThereAre) {
  TableModelOptions options;
  options.classes = {"young", "grown", "old"};
  TableModel model(options);
  const Data data = people(1, 200, {"young", "grown"});
  model.learn(data.X, data.y, {.features = kFeatures});
  EXPECT_EQ(model.predict(data.X).probability.cols(), 3);
  Data other = people(1, 20, {"young", "middle"});
  EXPECT_THAT(error_of([&] { model.learn(other.X, other.y, {.features = kFeatures}); }),
              AllOf(HasSubstr("label middle in row 1"), HasSubstr("young, grown, old")));
  EXPECT_EQ(model.tasks(), 1);
}

TEST(TableModel, MissingValuesAreAnErrorUnlessTheMeanMayStandForThem) {
  Data data = people(1, 200, {"young", "grown"});
  data.X(7, 1) = data.X(9, 0) = std::numeric_limits<double>::quiet_NaN();
  TableModel strict;
  EXPECT_THAT(error_of([&] { strict.learn(data.X, data.y, {.features = kFeatures}); }),
              AllOf(HasSubstr("2 missing values"), HasSubstr("row 7"), HasSubstr("income")));
  TableModelOptions options;
  options.missing = Missing::kMean;
  TableModel model(options);
  model.learn(data.X, data.y, {.features = kFeatures});
  Rows filled = data.X;
  filled(7, 1) = model.schema().columns[1].mean;
  filled(9, 0) = model.schema().columns[0].mean;
  EXPECT_EQ(model.predict(filled).probability, model.predict(data.X).probability);
}

TEST(TableModel, TheWatchSeesWhatLaterTasksMove) {
  const Data one = people(1, 200, {"a", "b"}), far = people(2, 200, {"c", "d"}, 20);
  Data flipped = people(3, 800, {"b", "a"});
  TableModel kept, moved;
  EXPECT_EQ(kept.learn(one.X, one.y).moved[0].distance, 0);
  moved.learn(one.X, one.y);
  const auto far_away = kept.learn(far.X, far.y).moved;
  EXPECT_LT(far_away[0].distance, 0.05);
  EXPECT_EQ(far_away[0].changed, 0);
  EXPECT_EQ(far_away[1].distance, 0);
  const auto contradicted = moved.learn(flipped.X, flipped.y).moved;
  EXPECT_GT(contradicted[0].distance, 0.3);
  EXPECT_GT(contradicted[0].changed, 0.3);
}

TEST(TableModel, ARegressionGivesMeansWithDeviationsInTheTargetsUnits) {
  TableModelOptions options;
  options.regression = true;
  TableModel model(options);
  Random random(5, Purpose::kTest);
  const auto draw = [&](Index N, double first) {
    std::pair<Rows, Eigen::VectorXd> out{Rows(N, 1), Eigen::VectorXd(N)};
    for (Index i = 0; i < N; ++i) {
      const double x = first + 5 * random.uniform();
      out.first(i, 0) = x;
      out.second(i) = 1000 + 200 * std::sin(x) + 20 * random.normal();
    }
    return out;
  };
  const auto one = draw(300, 0), two = draw(300, 5);
  const TableReport report = model.learn(one.first, one.second);
  EXPECT_NEAR(*report.record.validation, 20, 8);
  model.learn(two.first, two.second);
  EXPECT_LT(model.moved()[0].distance, 0.5);
  const auto test = draw(1000, 2);
  const TablePrediction p = model.predict(test.first);
  EXPECT_NEAR(std::sqrt((p.mean.col(0) - test.second).squaredNorm() / 1000), 20, 4);
  EXPECT_NEAR(model.noise(), 20, 5);
  const double z = interval_width(0.9);
  EXPECT_NEAR(z, 1.6448536, 1e-6);
  double inside = 0;
  for (Index i = 0; i < 1000; ++i)
    inside += std::abs(p.mean(i, 0) - test.second(i)) < z * p.sd(i) ? 1e-3 : 0;
  EXPECT_NEAR(inside, 0.9, 0.05);
}

TEST(TableModel, AFileAndItsBytesPredictAndLearnOnWithTheSameBits) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("table_model_test_" + std::to_string(getpid()) + ".vargp");
  const Data one = people(1, 200, {"a", "b"}), two = people(2, 200, {"b", "c"}, 1);
  TableModel model;
  model.learn(one.X, one.y, {.features = kFeatures, .source = "one", .label = "group"});
  model.notes["made"] = "here";
  model.save(path);
  TableModel loaded = TableModel::load(path);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(bytes, model.bytes());
  TableModel copied = TableModel::from_bytes(bytes);
  std::filesystem::remove(path);
  EXPECT_EQ(loaded.notes.at("made"), "here");
  EXPECT_EQ(loaded.history()[0].date, model.history()[0].date);
  EXPECT_EQ(loaded.schema().label, "group");
  for (TableModel* m : {&loaded, &copied}) {
    EXPECT_EQ(m->predict(two.X).probability, model.predict(two.X).probability);
    m->learn(two.X, two.y, {.features = kFeatures});
  }
  model.learn(two.X, two.y, {.features = kFeatures});
  EXPECT_EQ(loaded.predict(two.X).probability, model.predict(two.X).probability);
  EXPECT_EQ(copied.predict(two.X).var, model.predict(two.X).var);
  EXPECT_EQ(loaded.moved()[0].distance, model.moved()[0].distance);
}

TEST(TableModel, WithoutStandardisingItIsTheClassifierItself) {
  TableModelOptions options;
  options.standardise = false;
  options.inducing = 20;
  TableModel model(options);
  ClassifierOptions plain{options, {}};
  Classifier classifier(plain);
  Data data = people(1, 200, {"0", "1"});
  data.X.col(1) /= 1000;
  std::vector<int> y;
  for (const auto& name : data.y) y.push_back(std::stoi(name));
  model.learn(data.X, data.y);
  classifier.learn(data.X, y);
  EXPECT_EQ(model.predict(data.X).probability, classifier.predict(data.X).probability);
}

TEST(TableModel, StoppedByAHookItIsAsItWas) {
  const Data one = people(1, 200, {"a", "b"}), two = people(2, 200, {"c"}, 3);
  TableModel model;
  model.learn(one.X, one.y);
  const std::string before = model.bytes();
  struct Stop {};
  TaskInfo info;
  info.hooks.step = [](const auto&) { throw Stop(); };
  EXPECT_THROW(model.learn(two.X, two.y, info), Stop);
  EXPECT_EQ(model.bytes(), before);
}

TEST(TableModel, ManyRowsCanBeStoppedBetweenAnyTwoThousandOfThem) {
  const Data data = people(1, 20000, {"a", "b"});
  for (const auto likelihood : {LikelihoodKind::kGaussian, LikelihoodKind::kSoftmax}) {
    TableModelOptions options;
    options.inducing = 20;
    options.hyper = HyperTreatment::kFixed;
    options.learn_noise = false;
    options.likelihood = likelihood;
    TableModel model(options);
    Index asked = 0;
    TaskInfo info;
    info.hooks.step = [&](const auto&) { ++asked; };
    model.learn(data.X, data.y, info);
    // Ten rounds of k-means, and every sweep over 2048 rows.
    EXPECT_GE(asked, 10 + 18000 / 2048);
  }
}

TEST(TableModel, TheColumnThatMattersHasTheShortestLengthscale) {
  // The label goes by the first of four columns; the third and fourth are noise, and one of them
  // never changes: of that one the data say nothing.
  Random random(1, Purpose::kTest);
  Data data{random.normals<double>(600, 4), {}};
  data.X.col(3).setConstant(7);
  for (Index i = 0; i < 600; ++i) data.y.emplace_back(std::sin(2 * data.X(i, 0)) > 0 ? "a" : "b");
  TableModel model;
  model.learn(data.X, data.y);
  const auto scales = model.lengthscales();
  for (std::size_t j = 1; j < 4; ++j) EXPECT_GT(scales[j].value, 1.5 * scales[0].value) << j;
  EXPECT_TRUE(scales[0].known);
  EXPECT_FALSE(scales[3].known);
  EXPECT_LT(scales[0].deviation, 0.5 * scales[3].deviation);
}

TEST(TableModel, AColumnThatTheFirstTaskDoesNotNeedIsThereForTheNext) {
  // The first two classes differ in the first column, the third from both in the second.
  const auto rows = [](std::uint64_t seed, const std::vector<std::string>& names) {
    Random random(seed, Purpose::kTest);
    Data data{random.normals<double>(300, 2), {}};
    for (Index i = 0; i < 300; ++i) {
      const std::string& name = names[static_cast<std::size_t>(i) % names.size()];
      data.X(i, 0) += name == "b" ? 5 : name == "c" ? 2.5 : 0;
      data.X(i, 1) += name == "c" ? 4 : 0;
      data.y.push_back(name);
    }
    return data;
  };
  TableModel model;
  const Data one = rows(1, {"a", "b"}), two = rows(2, {"c"}), test = rows(3, {"a", "b", "c"});
  model.learn(one.X, one.y, {.features = kFeatures});
  model.learn(two.X, two.y, {.features = kFeatures});
  EXPECT_GT(accuracy(model, test), 0.95);
}

TEST(TableModel, NoInducingInputAveragesFewerRowsThanThePrivateMinimum) {
  TableModelOptions options;
  options.private_minimum = 10;
  TableModel model(options);
  const Data data = people(1, 200, {"a", "b"});
  model.learn(data.X, data.y);
  const Rows Z = model.inducing_inputs()[0];
  EXPECT_LE(Z.rows(), 180 / 10);
  for (Index m = 0; m < Z.rows(); ++m)
    for (Index i = 0; i < data.X.rows(); ++i)
      EXPECT_GT((Z.row(m) - data.X.row(i)).cwiseAbs().maxCoeff(), 1e-3) << "row " << i;
  EXPECT_GT(accuracy(model, people(2, 200, {"a", "b"})), 0.9);
  const Data few = people(3, 5, {"a", "b"});
  EXPECT_THAT(error_of([&] { model.learn(few.X, few.y); }), HasSubstr("private_minimum = 10"));
}

TEST(TableModel, ManyRowsInPartsAreLearnedAsInOnePiece) {
  // The sample decides where the inducing inputs stand; the posterior then has seen every row.
  TableModelOptions options;
  options.inducing = 30;
  TableModel sampled(options);
  const Data all = people(1, 6000, {"a", "b"}), sample = people(2, 600, {"a", "b"});
  EncodedTask task;
  TableModel schema_only(options);
  schema_only.learn(sample.X, sample.y);
  task.schema = schema_only.schema();
  task.X = task.schema.encode(sample.X, {}, "X");
  for (const auto& name : sample.y) task.y.push_back(name == "b");
  const Rows encoded = task.schema.encode(all.X, {}, "X");
  Index parts = 0;
  task.pass = [&](const auto& take) {
    for (Index first = 0; first < 6000; first += 2048, ++parts) {
      const Rows part = encoded.middleRows(first, std::min<Index>(2048, 6000 - first));
      std::vector<int> y;
      for (Index i = 0; i < part.rows(); ++i)
        y.push_back(all.y[static_cast<std::size_t>(first + i)] == "b");
      take(part, y);
    }
  };
  const TableReport report = sampled.learn(task, {});
  EXPECT_EQ(parts, 3);
  EXPECT_EQ(report.record.rows, 6000);
  // The bound of ten times the rows is about ten times as low or high.
  EXPECT_GT(std::abs(report.record.bound), 5 * std::abs(schema_only.history()[0].bound));
  EXPECT_GT(accuracy(sampled, people(3, 200, {"a", "b"})), 0.95);
}

// A file whose checksums are right may still have parts that do not fit each other.
TEST(TableModel, PartsOfAFileThatDoNotFitAreRefused) {
  TableModelOptions options;
  options.inducing = 10;
  TableModel model(options);
  const Data data = people(1, 100, {"a", "b"});
  model.learn(data.X, data.y, {.features = kFeatures});
  const std::string whole = model.bytes();
  EXPECT_EQ(TableModel::from_bytes(whole, "m.vargp", 1).tasks(), 1);
  // Another text of the same length in the header, and the checksums set right.
  const auto refused = [&](const std::string& text, const std::string& other, const char* why) {
    ASSERT_EQ(text.size(), other.size());
    std::string changed = whole;
    const auto at = changed.find(text);
    ASSERT_NE(at, std::string::npos) << text;
    changed.replace(at, text.size(), other);
    reseal(reinterpret_cast<std::uint8_t*>(changed.data()), changed.size());
    EXPECT_THAT(error_of([&] { TableModel::from_bytes(changed, "m.vargp", 1); }),
                testing::AllOf(testing::StartsWith("m.vargp: "), HasSubstr(why)));
  };
  refused(R"(\"image\":[0,0])", R"(\"image\":[7,7])", "an image with all inputs");
  refused(R"(\"image\":[0,0])", R"(\"image\":[0,9])", "an image with all inputs");
  refused(R"(\"class_rows\":[50,50])", R"(\"class_rows\":[5,5,0])", "class_rows");
  refused(R"(\"grows\":true)", R"(\"grows\":1234)", "options cannot be read");
  refused(R"(\"model\":\"coupled\")", R"(\"model\":\"global\" )", "m.vargp: ");
  refused(R"(\"missing\":\"error\")", R"(\"missing\":\"enemy\")", "missing is enemy");
  // A class that has no name.
  const std::string places("\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16);
  refused(places, std::string(8, '\0') + "\7" + std::string(7, '\0'), "a name for every class");
}

// What a model's file holds, for a test to damage.
State state_of(const TableModel& model) {
  const std::string bytes = model.bytes();
  State state = parse_safetensors("m.vargp", bytes, std::make_shared<int>());
  for (auto& [name, tensor] : state.tensors) {
    tensor.bytes = tensor.values();
    tensor.file.reset();
  }
  return state;
}

template <class T>
void put(State& state, const std::string& name, const T& value) {
  ASSERT_TRUE(state.tensors.contains(name)) << name;
  state.tensors.erase(name);
  StateWriter writer(state);
  writer(name, value);
}

void replace(State& state, const char* name, const std::string& text, const std::string& other) {
  std::string& all = state.text.at(name);
  const auto at = all.find(text);
  ASSERT_NE(at, std::string::npos) << text;
  all.replace(at, text.size(), other);
}

void expect_refused(State state, const char* why) {
  EXPECT_THAT(error_of([&] { TableModel::from(state, 1); }),
              testing::AllOf(testing::StartsWith("m.vargp: "), HasSubstr(why)));
}

TableModel small_model(ModelKind kind, Precision precision = Precision::kDouble) {
  TableModelOptions options;
  options.model = kind;
  options.precision = precision;
  options.inducing = 5;
  options.epochs = 1;
  options.hyper_steps = 2;
  options.classes = {"a", "b"};
  TableModel model(options);
  const Data data = people(1, 40, {"a", "b"});
  model.learn(data.X, data.y, {.features = kFeatures});
  return model;
}

TEST(TableModel, TensorsOfTheCoupledModelThatDoNotFitAreRefused) {
  const State whole = state_of(small_model(ModelKind::kCoupled));
  const auto refused = [&](const char* name, const auto& value, const char* why) {
    State state = whole;
    put(state, name, value);
    expect_refused(state, why);
  };
  refused("coupled/deviation", Mat<double>(3, 0), "a deviation, 0 or above, for every part");
  refused("coupled/deviation", Mat<double>(Mat<double>::Ones(3, 2)), "a deviation, 0 or above");
  refused("coupled/deviation", Mat<double>(-Mat<double>::Ones(3, 1)), "a deviation, 0 or above");
  refused("coupled/q/h", Mat<double>(5, 0), "h and mu [n, C]");
  refused("coupled/q/Z", Mat<double>(5, 0), "Z [n, D]");
  refused("coupled/q/sizes", std::vector<Index>(), "nothing without sizes");
  refused("coupled/q/Lambda", Vec<double>(Vec<double>::Zero(15)), "not positive definite");
  refused("coupled/q/theta", Mat<double>(Mat<double>::Constant(3, 1, 1e300)), "not finite");
  refused("classes", std::vector<Index>{0, Index{1} << 32}, "classes that are whole numbers");
  refused("classes", std::vector<Index>{1, 1}, "classes, each once");
  refused("inputs", Index{0}, "inputs, and none before the first task");
  refused("tasks", Index{2}, "inducing inputs of the tasks");
  refused("tasks", Index{-1}, "inducing inputs of the tasks");

  // No task, it says, while there is what one has left.
  State state = whole;
  put(state, "tasks", Index{0});
  put(state, "inputs", Index{0});
  state.text["history"] = "[]";
  state.tensors.erase("watch/0");
  expect_refused(state, "inducing inputs of the tasks");
}

TEST(TableModel, BlocksThatDoNotFitAreRefused) {
  const auto refused = [](const State& whole, const char* name, const auto& value,
                          const char* why) {
    State state = whole;
    put(state, name, value);
    expect_refused(state, why);
  };
  State whole = state_of(small_model(ModelKind::kVarGp));
  refused(whole, "var_gp/blocks/0/m", Mat<double>(0, 2), "m [M, C]");
  refused(whole, "var_gp/blocks/0/m", Mat<double>(5, 0), "m [M, C]");
  refused(whole, "var_gp/blocks/0/Z/0", Mat<double>(5, 0), "Z with a column for every input");
  refused(whole, "var_gp/carried/hyper/logvar", Mat<double>(0, 0), "theta with a logvar");
  refused(whole, "var_gp/carried/hyper/logvar", Mat<double>(Mat<double>::Constant(3, 1, 1e9)),
          "the kernel matrix of the inducing inputs");
  State point = whole;
  replace(point, "options", R"("hyper":"posterior")", R"("hyper":"point")");
  expect_refused(point, "theta without a logvar");

  // A block-diagonal posterior has no block without an output that came later.
  whole = state_of(small_model(ModelKind::kBlockDiagonal));
  put(whole, "var_gp/outputs", Index{3});
  expect_refused(whole, "all outputs in every block");
}

TEST(TableModel, TextsThatAreNoNumbersOfThatKindAreRefused) {
  const State whole = state_of(small_model(ModelKind::kCoupled));
  const auto refused = [&](const char* name, const std::string& text, const std::string& other,
                           const char* why) {
    State state = whole;
    replace(state, name, text, other);
    expect_refused(state, why);
  };
  refused("history", R"("rows":40)", R"("rows":4e30)", "is no count");
  refused("history", R"("rows":40)", R"("rows":40.5)", "40.5 is no count");
  refused("history", R"("rows":40)", R"("rows":-1)", "-1 is no count");
  refused("history", R"("rows":40)", R"("rows":18446744073709551615)", "is no count");
  refused("history", R"("class_rows":[20,20])", R"("class_rows":[20,1e99])", "is no count");
  refused("history", R"("inducing":5)", R"("inducing":6)", "as the history has them");
  refused("schema", R"("image":[0,0])", R"("image":[0,1e30])", "is no count");
  refused("schema", R"("classes":["a","b"])", R"("classes":["a","a"])", "names of their own");
  refused("options", R"("theta-samples":3)", R"("theta-samples":999999999)", "samples in all");
  refused("options", R"("function-samples":10,)", R"("function-samples":1,"theta-samples":1001,)",
          "at most 1000 samples of theta");
  refused("options", R"("function-samples":10)", R"("function-samples":9999)", "samples in all");
}

TEST(TableModel, APredictionThatIsNotFiniteIsNoAnswer) {
  const Data data = people(2, 10, {"a", "b"});
  // Behind this link float has no probabilities.
  State state = state_of(small_model(ModelKind::kCoupled, Precision::kFloat));
  put(state, "coupled/link/a", 1e300);
  EXPECT_THROW(TableModel::from(state, 1).predict(data.X), NumericalError);

  TableModelOptions options;
  options.regression = true;
  options.precision = Precision::kDouble;
  TableModel model(options);
  model.learn(data.X, Eigen::VectorXd(data.X.col(0)));
  state = state_of(model);
  put(state, "factor", Vec<double>(Vec<double>::Constant(1, 1e300)));
  EXPECT_THROW(TableModel::from(state, 1).predict(data.X), NumericalError);
}

TEST(TableModel, AModelThatMovesOldPointsOrHidesTheColumnsIsRefused) {
  for (const ModelKind kind : {ModelKind::kGlobal, ModelKind::kReVarGp, ModelKind::kDeepKernel}) {
    TableModelOptions options;
    options.model = kind;
    EXPECT_THAT(error_of([&] { TableModel model(options); }), HasSubstr("must be coupled, var-gp"));
  }
}

TEST(TableModel, TargetsWhoseDeviationIsNoNumberAreRefused) {
  TableModelOptions options;
  options.regression = true;
  TableModel model(options);
  const Rows X = Rows::Identity(3, 3);
  const Eigen::VectorXd y = Eigen::Vector3d(1e300, -1e300, 1e200);
  EXPECT_THAT(error_of([&] { model.learn(X, y); }), HasSubstr("deviation is not finite"));
  EXPECT_EQ(model.tasks(), 0);
}

}  // namespace
}  // namespace vargp
