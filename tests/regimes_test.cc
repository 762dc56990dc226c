// The two ends between which continual learning lies, for GPs and for networks, through the runner.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vargp/core/exceptions.h"
#include "vargp/experiment/choice.h"
#include "vargp/experiment/presets.h"
#include "vargp/experiment/runner.h"
#include "vargp/io/record.h"

namespace vargp {
namespace {

Json record_of(const std::string& model, Regime regime, const std::string& order = "") {
  StreamOptions stream;
  stream.order = order;
  stream.joint = regime == Regime::kJoint;
  const ModelChoice choice = choose("toy", model, "quick");
  validate(choice, regime);
  Json record =
      run(make_stream("toy", stream), {"toy", "quick", choice, 0, false, regime, false}, {});
  for (const char* key : {"learn_seconds", "evaluate_seconds", "settings"}) record.erase(key);
  return record;
}

TEST(Joint, EqualsOneTaskLearningOnTheUnion) {
  for (const char* model : {"coupled", "var-gp", "fine-tune", "vcl"})
    EXPECT_EQ(record_of(model, Regime::kJoint), record_of(model, Regime::kContinual, "0,1,2,3"))
        << model;
}

TEST(FineTune, ForgetsWhatTheContinualGpKeeps) {
  const Json anew = record_of("coupled", Regime::kFineTune),
             kept = record_of("coupled", Regime::kContinual);
  EXPECT_LT(anew["accuracy_matrix"][1][0].get<double>(), 0.3);
  EXPECT_GT(kept["accuracy_matrix"][1][0].get<double>(), 0.9);
  EXPECT_EQ(anew["accuracy_matrix"][0], kept["accuracy_matrix"][0]);
}

TEST(FineTune, OfANetworkIsAModelOfItsOwn) {
  EXPECT_THROW(validate(choose("toy", "vcl", "quick"), Regime::kFineTune), Error);
}

TEST(Choice, AnUnknownModelIsAnsweredWithAllThereAre) {
  try {
    choose("toy", "vlc", "quick");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::StartsWith("model = vlc: must be one of coupled, var-gp"));
    EXPECT_THAT(e.what(), testing::EndsWith("joint, random-features"));
  }
}

}  // namespace
}  // namespace vargp
