#include "vargp/experiment/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "vargp/core/exceptions.h"
#include "vargp/experiment/search.h"
#include "vargp/models/settings.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Suites : public testing::Test {
 protected:
  Suites() { fs::create_directories(folder_); }
  ~Suites() override { fs::remove_all(folder_); }

  fs::path write(const std::string& text) const {
    std::ofstream(folder_ / "suite.json") << text;
    return folder_ / "suite.json";
  }
  std::string error_of(const std::string& text) const {
    try {
      read_suite(write(text));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("vargp_suites_" + std::to_string(getpid()));
};

constexpr const char* kToy = R"({"title": "two models", "shows": "memory", "seeds": 3, "rows": [
  {"name": "a", "experiment": "toy", "model": "var-gp", "preset": "quick",
   "settings": {"epochs": 4, "inducing": 5}, "minutes": 2},
  {"name": "b", "experiment": "toy", "model": "coupled", "minutes": 1, "seeds": 1,
   "paper": "B"}]})";

TEST_F(Suites, OfTheProjectCanBeRead) {
  int suites = 0;
  for (const auto& entry : fs::directory_iterator(VARGP_SOURCE_DIR "/experiments")) {
    if (is_search(entry.path()))
      EXPECT_FALSE(read_search(entry.path()).search.space.empty()) << entry.path();
    else
      EXPECT_FALSE(read_suite(entry.path()).rows.empty()) << entry.path();
    ++suites;
  }
  EXPECT_GE(suites, 10);
}

TEST_F(Suites, ErrorsNameFileRowAndField) {
  EXPECT_THAT(error_of(R"({"title": "x", "shows": "colours", "seeds": 1, "rows": []})"),
              HasSubstr("suite.json: shows = colours: must be"));
  EXPECT_THAT(error_of(R"({"title": "x", "shows": "curve", "seeds": 1, "rows": [
      {"name": "a", "experiment": "toy", "model": "var-gp", "minutes": "two"}]})"),
              HasSubstr("row 1: minutes must be a number, not \"two\""));
  EXPECT_THAT(error_of(R"({"title": "x", "shows": "curve", "seeds": 1, "rows": [
      {"name": "a", "experiment": "toy", "model": "var-gp", "minutes": 1, "sets": {}}]})"),
              HasSubstr("row 1: there is no field sets"));
  EXPECT_THAT(error_of(R"({"title": "x", "shows": "curve", "seeds": 1, "rows": [
      {"name": "a", "experiment": "toy", "model": "var-gp", "minutes": 1,
       "settings": {"epochs": -3}}]})"),
              HasSubstr("row 1: epochs = -3"));
}

TEST_F(Suites, ABudgetCutsSeedsFirstThenEpochs) {
  const Suite suite = read_suite(write(kToy));
  const Plan all = plan(suite, folder_, 1, 0);
  EXPECT_EQ(all.jobs.size(), 4U);  // three seeds of a, one of b
  EXPECT_DOUBLE_EQ(all.minutes, 7);
  EXPECT_DOUBLE_EQ(plan(suite, folder_, 2, 0).minutes, 3.5);
  EXPECT_EQ(all.cut, "");
  const Plan two = plan(suite, folder_, 1, 5);
  EXPECT_EQ(two.jobs.size(), 3U);
  EXPECT_EQ(two.cut, "2 of 3 seeds");
  const Plan half = plan(suite, folder_, 1, 1.5);
  EXPECT_EQ(half.jobs.size(), 2U);
  EXPECT_EQ(half.cut, "1 of 3 seeds, 50 % of the epochs");
  EXPECT_EQ(epochs_of(choice_of(half.jobs[0].spec)), 2);
}

TEST_F(Suites, RunsAreSharedByWhatTheyComputeNotByTheirName) {
  RunSpec a;
  a.experiment = "toy";
  a.model = "var-gp";
  a.preset = "quick";
  RunSpec b = a;
  b.preset = "default";
  EXPECT_NE(folder_of("x", a), folder_of("x", b));
  b.changed = {{"epochs", epochs_of(choice_of(a))},
               {"patience", std::get<Options>(choice_of(a)).patience}};
  EXPECT_EQ(folder_of("x", a), folder_of("x", b));
  b.evaluate = "validation";
  EXPECT_NE(folder_of("x", a), folder_of("x", b));
}

TEST_F(Suites, ResultsComeFromTheRecordsAndWhatIsThereIsDone) {
  const Suite suite = read_suite(write(kToy));
  const Plan first = plan(suite, folder_, 1, 5);
  for (const Job& job : first.jobs) {
    EXPECT_FALSE(job.done);
    SeriesOptions series;
    series.out = job.folder;
    run_series(job.spec, series, {});
  }
  const Plan again = plan(suite, folder_, 1, 0);
  int left = 0;
  for (const Job& job : again.jobs) left += !job.done;
  EXPECT_EQ(left, 1);             // the third seed of a
  EXPECT_LT(again.minutes, 0.5);  // and how long it takes is known from the others
  const Json result = suite_result(suite, first);
  EXPECT_EQ(result["cut"], "2 of 3 seeds");
  const Json& a = result["rows"][0];
  EXPECT_EQ(a["seeds"], Json::parse("[1, 2]"));
  ASSERT_EQ(a["memory"].size(), 2U);
  EXPECT_GT(a["memory"][0]["mean"].get<double>(), 0.3);
  EXPECT_EQ(a["curve"][1]["mean"], a["final_accuracy"]["mean"]);
  EXPECT_EQ(result["rows"][1]["paper"], "B");
}

TEST_F(Suites, ASearchIsSeededMeasuresOnValidationDataAndKeepsTheBetter) {
  Search search;
  search.base.experiment = "toy";
  search.base.model = "coupled";
  search.space = {{"lengthscale", 0.2, 2, true}, {"inducing", 5, 20, false, true}};
  search.trials = 3;
  search.rungs = 1;
  EXPECT_TRUE(trial(search, 0).empty());
  EXPECT_EQ(trial(search, 1), trial(search, 1));
  EXPECT_NE(trial(search, 1), trial(search, 2));
  for (int i = 1; i < 50; ++i)
    for (const auto& [name, value] : trial(search, i))
      EXPECT_LE(value.dump().size(), 6U)
          << name << " " << value;  // 0.0345, not 0.034500000000000003
  for (const auto& [name, value] : trial(search, 2)) {
    EXPECT_GE(value.get<double>(), name == "inducing" ? 5 : 0.2);
    EXPECT_LE(value.get<double>(), name == "inducing" ? 20 : 2);
  }
  const auto jobs = rung_jobs(search, folder_, {0, 1, 2}, 0);
  for (const Job& job : jobs) {
    SeriesOptions series;
    series.out = job.folder;
    const Json record = run_series(job.spec, series, {});
    EXPECT_EQ(record["runs"][0]["settings"]["evaluate"], "validation");
  }
  const auto ranks = ranking(jobs);
  ASSERT_EQ(ranks.size(), 3U);
  EXPECT_GE(ranks[0].second, ranks[1].second);
  EXPECT_GE(ranks[1].second, ranks[2].second);
}

TEST_F(Suites, ASearchLeavesOutWhatHasNoEffectOrIsSet) {
  const auto searched = [](const std::string& model,
                           std::vector<std::pair<std::string, Json>> changed) {
    RunSpec base;
    base.experiment = "split-mnist";
    base.model = model;
    base.preset = "quick";  // nothing is learned by gradients
    base.changed = std::move(changed);
    std::set<std::string> out;
    for (const Range& r : search_space(base)) out.insert(r.setting);
    return out;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(searched("var-gp", {}), (Names{"inducing", "lengthscale-factor", "scale"}));
  EXPECT_EQ(searched("var-gp", {{"hyper", "posterior"}, {"scale", "2"}}),
            (Names{"inducing", "lengthscale-factor", "learning-rate", "beta"}));
  EXPECT_EQ(searched("vcl", {}), (Names{"learning-rate", "variance-rate", "prior-variance"}));
  EXPECT_EQ(searched("ewc", {{"strength", "3"}}), Names{});
}

TEST_F(Suites, APresetFileSetsWhatItSays) {
  write(R"({"model": "var-gp", "preset": "quick", "settings": {"inducing": 7}})");
  RunSpec spec;
  spec.experiment = "toy";
  spec.model = "var-gp";
  spec.preset = (folder_ / "suite.json").string();
  EXPECT_EQ(std::get<Options>(choice_of(spec)).inducing, 7);
  EXPECT_EQ(epochs_of(choice_of(spec)), preset("toy", ModelKind::kVarGp, "quick").epochs);
  spec.model = "coupled";
  EXPECT_THROW(choice_of(spec), Error);
}

}  // namespace
}  // namespace vargp
