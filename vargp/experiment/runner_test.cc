#include "vargp/experiment/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "vargp/experiment/presets.h"

namespace vargp {
namespace {

using Json = nlohmann::ordered_json;

// Pictures of 2 x 2 pixels in two classes, one task each; the second task has its columns turned.
Stream pictures() {
  Dataset data;
  data.C = 2;
  data.image_rows = data.image_cols = 2;
  constexpr Index kEach = 30;
  data.X.resize(2 * kEach, 4);
  for (Index i = 0; i < 2 * kEach; ++i) {
    const int c = i < kEach ? 0 : 1;
    const float shade = 0.01F * static_cast<float>(i % kEach);
    data.X.row(i) << (c ? 1.0F : 0.0F), 0.25F + shade, 0.5F, (c ? 0.0F : 1.0F);
    data.y.push_back(c);
  }
  std::vector<Stream::Part> parts(2);
  for (int c = 0; c < 2; ++c) {
    auto& part = parts[static_cast<std::size_t>(c)];
    part.classes = {c};
    part.train.resize(kEach);
    std::iota(part.train.begin(), part.train.end(), c * kEach);
    part.validation = part.test = part.train;
  }
  parts[1].columns = {3, 2, 1, 0};
  return {"pictures", data, data, parts};
}

Options options(ModelKind model) {
  Options out = preset("toy", model, "quick");
  out.inducing = 5;
  return out;
}
RunOptions as_run(const Options& o) {
  RunOptions out;
  out.options = o;
  return out;
}

TEST(Runner, RecordsCurvesWhoseEntriesAddUpToTheBound) {
  Options o = options(ModelKind::kVarGp);
  o.hyper = HyperTreatment::kPosterior;
  o.epochs = 7;
  o.patience = 100;
  const Json task = run(pictures(), as_run(o), {})["tasks"][1];
  const Json& curve = task["curve"];
  EXPECT_EQ(curve["epoch"], (Json{1, 2, 3, 4, 5, 6, 7}));
  for (std::size_t e = 0; e < 7; ++e) {
    const auto at = [&](const char* name) { return curve[name][e].get<double>(); };
    EXPECT_NEAR(at("bound"), at("ell") - at("kl_u") - o.beta * at("kl_hyper"),
                1e-4 * std::abs(at("bound")));
  }
  EXPECT_NEAR(curve["bound"].back(), task["bound"], 1e-4 * std::abs(task["bound"].get<double>()));
  EXPECT_NEAR(curve["validation"].back(), task["validation_accuracy"], 1e-6);
}

TEST(Runner, KeepsAHundredEpochsOfALongCurveAndTheLast) {
  Options o = options(ModelKind::kVarGp);
  o.epochs = 250;
  o.patience = 1000;
  const Json curve = run(pictures(), as_run(o), {})["tasks"][0]["curve"];
  EXPECT_LE(curve["epoch"].size(), 100U);
  EXPECT_GE(curve["epoch"].size(), 80U);
  EXPECT_EQ(curve["epoch"].back(), 250);
}

TEST(Runner, InducingPointsArePicturesInTheOrderOfTheData) {
  Options o = options(ModelKind::kCoupled);
  const Json tasks = run(pictures(), as_run(o), {})["tasks"];
  for (const Json& task : tasks) {
    EXPECT_EQ(task["inducing_images"]["rows"], 2);
    EXPECT_EQ(task["inducing_images"]["pixels"].size(), 5U);
  }
  // In bytes 0, shade, 128, 255 and 255, shade, 128, 0: in base64 "A..A/w==" and "/..AAA==".
  const auto first = tasks[0]["inducing_images"]["pixels"][0].get<std::string>();
  const auto second = tasks[1]["inducing_images"]["pixels"][0].get<std::string>();
  EXPECT_THAT(first, testing::MatchesRegex("A..A/w=="));
  EXPECT_THAT(second, testing::MatchesRegex("/..AAA=="));
}

TEST(Runner, OneLengthscaleIsOneNumber) {
  const Json task = run(pictures(), as_run(options(ModelKind::kCoupled)), {})["tasks"][0];
  EXPECT_EQ(task["lengthscales"].size(), 1U);
  Options o = options(ModelKind::kVarGp);
  o.ard = true;
  o.hyper = HyperTreatment::kPosterior;
  o.epochs = 3;
  const Json ard = run(pictures(), as_run(o), {})["tasks"][1];
  EXPECT_EQ(ard["lengthscales"].size(), 4U);
  EXPECT_EQ(ard["log_lengthscale_deviations"].size(), 4U);
}

TEST(Runner, TellsWhatTheRecordWillHoldAfterEveryTask) {
  std::vector<Json> told;
  RunCallbacks callbacks;
  callbacks.task_done = [&](const TaskResult& r) { told.push_back(r.so_far); };
  const Json record = run(toy_stream(1), as_run(options(ModelKind::kCoupled)), callbacks);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0]["accuracy_matrix"].size(), 1U);
  for (const char* key :
       {"seed", "accuracy_matrix", "surfaces", "surface_range", "points", "tasks"})
    EXPECT_EQ(told[1][key], record[key]) << key;
}

TEST(Runner, OfSeveralSeedsOnlyTheFirstKeepsPictures) {
  const Json record = run(pictures(), as_run(options(ModelKind::kCoupled)), {});
  const Json summary = summarise({record, record});
  EXPECT_TRUE(summary["runs"][0]["tasks"][0].contains("inducing_images"));
  EXPECT_FALSE(summary["runs"][1]["tasks"][0].contains("inducing_images"));
}

}  // namespace
}  // namespace vargp
