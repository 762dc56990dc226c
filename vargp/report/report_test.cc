#include "vargp/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <tuple>

#include "vargp/core/exceptions.h"
#include "vargp/report/assets.h"
#include "vargp/report/figures.h"
#include "vargp/report/paper.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

// One seed that learned two tasks, with no more than a record must have.
Json bare_run(int seed, double last = 0.8) {
  return {{"seed", seed}, {"accuracy_matrix", {{1.0, 0.0}, {0.9, last}}}};
}

Json bare_record(const std::vector<Json>& runs, const std::string& model = "coupled") {
  return {{"experiment", "toy"}, {"model", model}, {"preset", "quick"}, {"runs", runs}};
}

Series series_of(const Json& record) {
  std::vector<Series> one = {read_series(record, "a/record.json")};
  label_series(one);
  return one[0];
}

const Json& figure_of(const std::vector<Json>& all, const std::string& id) {
  for (const Json& f : all)
    if (f["id"] == id) return f;
  static const Json none;
  return none;
}

class Folders : public testing::Test {
 protected:
  ~Folders() override { fs::remove_all(root_); }
  void put(const fs::path& file, const Json& record) {
    fs::create_directories((root_ / file).parent_path());
    write_record(root_ / file, record);
  }
  fs::path root_ = fs::path(testing::TempDir()) / ("vargp_report_" + std::to_string(getpid()));
};

TEST(Figures, AccuracyIsMeanAndDeviationOverSeeds) {
  const auto all = figures({series_of(bare_record({bare_run(1, 0.8), bare_run(2, 0.6)}))});
  const Json& rows = figure_of(all, "accuracy")["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_DOUBLE_EQ(rows[0][2], 1.0);
  EXPECT_DOUBLE_EQ(rows[1][2], (0.85 + 0.75) / 2);  // both tasks have the same size
  EXPECT_NEAR(rows[1][3], std::sqrt(0.005), 1e-12);
  EXPECT_EQ(rows[1][4], 2);
}

TEST(Figures, OnlyWhatTheRecordHoldsIsDrawn) {
  std::vector<std::string> ids;
  for (const Json& f : figures({series_of(bare_record({bare_run(1)}))})) ids.push_back(f["id"]);
  EXPECT_THAT(ids, ElementsAre("accuracy", "accuracy-matrix"));
}

TEST(Figures, CurvesImagesAndLengthscalesAppearWithTheirNumbers) {
  Json run = bare_run(1);
  run["settings"] = {{"epochs", 500}};
  run["tasks"] = {
      {{"inducing", 60},
       {"curve", {{"epoch", {1, 2}}, {"bound", {-9, -4}}, {"validation", {0.5, 0.9}}}},
       {"inducing_images", {{"rows", 1}, {"cols", 2}, {"pixels", {"AP8=", "/wA="}}}},
       {"lengthscales", {3.0}}},
      {{"inducing", 60}, {"lengthscales", {2.0, 5.0}}, {"log_lengthscale_deviations", {0.1, 0.2}}}};
  const auto all = figures({series_of(bare_record({run}))});
  const Json& curves = figure_of(all, "curves");
  EXPECT_EQ(curves["rows"][1], (Json{"coupled", 1, 2, "bound", -4}));
  EXPECT_EQ(curves["rows"][3], (Json{"coupled", 1, 2, "validation", 0.9}));
  EXPECT_EQ(curves["title"], "Learning stopped by itself, after 2 epochs at most");
  EXPECT_EQ(figure_of(all, "inducing")["groups"][0]["pixels"][1], "/wA=");
  EXPECT_EQ(figure_of(all, "inputs")["rows"][1], (Json{"coupled", 2, 5.0, 0.2}));
}

TEST(Figures, TitlesOfAComparisonNameTheModelsThatDifferMost) {
  std::vector<Series> all;
  for (const auto& [model, unseen, epochs, scales] :
       {std::tuple{"coupled", 0.9, 5, std::vector{3.0}},
        std::tuple{"vcl", 0.2, 10, std::vector{3.0}},
        std::tuple{"var-gp", 0.5, 10, std::vector{2.0, 5.0}}}) {
    Json run = bare_run(1);
    run["settings"] = {{"epochs", 10}};
    run["entropy_matrix"] = {{0.1, unseen}, {0.1, 0.1}};
    run["tasks"] = {{{"curve", {{"epoch", {epochs}}, {"bound", {-9}}}}},
                    {{"lengthscales", scales}}};
    all.push_back(series_of(bare_record({run}, model)));
  }
  const auto title = [](const std::vector<Series>& of, const char* id) {
    return figure_of(figures(of), id)["title"].get<std::string>();
  };
  EXPECT_EQ(title(all, "entropy-matrix"),
            "Of tasks not seen yet coupled is least sure (entropy 0.90), vcl surest (0.20)");
  EXPECT_EQ(title({all[0]}, "entropy-matrix"),
            "Entropy is 0.10 on tasks seen and 0.90 on tasks not seen yet");
  EXPECT_EQ(title(all, "curves"), "1 of 3 tasks stopped by themselves; the longest took 10 epochs");
  EXPECT_EQ(title({all[1]}, "curves"), "Learning went on for 10 epochs");
  // One lengthscale for all inputs needs no chart, and stands in words beside one that has several.
  EXPECT_EQ(figure_of(figures({all[0], all[1]}), "inputs")["kind"], "table");
  const Json inputs = figure_of(figures(all), "inputs");
  EXPECT_EQ(inputs["kind"], "inputs");
  EXPECT_THAT(inputs["caption"].get<std::string>(),
              HasSubstr("coupled has one for all inputs: 3. vcl has one for all inputs: 3."));
}

TEST(Figures, RecordsThatDifferInMAloneGiveALineForEach) {
  std::vector<Series> all;
  for (const int M : {60, 20, 200}) {
    Json run = bare_run(1, M / 200.0);
    run["settings"] = {{"inducing", M}, {"seed", 1}};
    all.push_back(series_of(bare_record({run})));
  }
  label_series(all);
  EXPECT_EQ(all[0].label, "coupled, M=60");
  const Json f = figure_of(figures(all), "varying-m");
  ASSERT_EQ(f["rows"].size(), 6U);
  EXPECT_EQ(f["rows"][0][0], 20);
  EXPECT_EQ(f["title"], "coupled does best with M = 200: 95.00 %");
}

TEST(Figures, TimesAreMediansSoThatOnePauseDoesNotShow) {
  std::vector<Json> runs;
  for (const double seconds : {1.0, 900.0, 2.0}) {
    runs.push_back(bare_run(static_cast<int>(runs.size())));
    runs.back()["learn_seconds"] = {seconds, 1.0};
  }
  const auto all = figures({series_of(bare_record(runs))});
  const Json& f = figure_of(all, "seconds");
  EXPECT_EQ(f["rows"][0], (Json{"coupled", 1, 2.0, 1.0, 900.0}));
  EXPECT_EQ(f["title"], "Learning took 3.0 s in all");
}

TEST(Paper, HasTheNumbersOfTable1) {
  const auto split = paper_results("split-mnist", 5);
  ASSERT_FALSE(split.empty());
  EXPECT_EQ(split.front().model, "var-gp");
  EXPECT_DOUBLE_EQ(split.front().mean, 90.57);
  EXPECT_DOUBLE_EQ(*split.front().deviation, 1.06);
  EXPECT_DOUBLE_EQ(paper_results("permuted-mnist", 10).front().mean, 97.20);
  EXPECT_TRUE(paper_results("permuted-mnist", 3).empty());
  EXPECT_TRUE(paper_results("toy", 2).empty());
  const Json settings = {{"hidden", {100, 100}}, {"coreset", 50}, {"epochs", 3}};
  for (const PaperResult& r : split)
    EXPECT_EQ(same_model(r, "vcl", settings), r.mean == 71.89) << r.method;
}

TEST(Paper, HasANumberForEveryMethodThatASuiteNames) {
  EXPECT_EQ(paper_result("split-mnist", "VAR-GP"), (Json{{"mean", 90.57}, {"deviation", 1.06}}));
  EXPECT_EQ(paper_result("permuted-mnist", "SI"), (Json{{"mean", 86.02}}));
  EXPECT_THAT([] { paper_result("toy", "VAR-GP"); },
              ThrowsMessage<Error>(HasSubstr("no number of VAR-GP for toy")));
  int named = 0;
  for (const auto& entry : fs::directory_iterator(VARGP_SOURCE_DIR "/experiments"))
    for (const Json& row : read_record(entry.path()).value("rows", Json::array()))
      if (row.contains("paper")) {
        EXPECT_NO_THROW(paper_result(row["experiment"], row["paper"])) << entry.path();
        ++named;
      }
  EXPECT_GE(named, 40);
}

TEST(Paper, SeveralHeadsAreNotComparedWithOne) {
  const Json settings = {{"heads", "per-task"}};
  for (const PaperResult& r : paper_results("split-mnist", 5))
    EXPECT_EQ(same_model(r, "si", settings), r.mean == 98.9) << r.method;
  Json record = bare_record({}, "si");
  record["experiment"] = "split-mnist";
  record["runs"] = {
      {{"seed", 1},
       {"accuracy_matrix", Json(std::vector<Json>(5, Json(std::vector<double>(5, 0.9))))}}};
  const Json figure = figure_of(figures({series_of(record)}), "paper");
  for (const Json& row : figure["rows"]) EXPECT_NE(row[2], 0.989) << row;
}

TEST(Report, SummaryAndTextSayTheSame) {
  Json run = bare_run(1);
  run["forgetting"] = 0.1;
  run["learn_seconds"] = {1.0, 2.0};
  run["state_bytes"] = {1000, 2'000'000};
  const Json content = report({series_of(bare_record({run}))});
  const std::string text = report_text(content);
  const auto said = content["sections"][0]["summary"][0]["text"].get<std::string>();
  EXPECT_THAT(said, AllOf(HasSubstr("learned 2 tasks in 3.0 s"), HasSubstr("85.00 %"),
                          HasSubstr("lost 10.00 points"), HasSubstr("keeps 2.0 MB")));
  EXPECT_THAT(text, HasSubstr(said));
  for (const Json& f : content["sections"][0]["figures"])
    EXPECT_THAT(text, HasSubstr(f["title"].get<std::string>()));
}

TEST(Report, ThePapersNumberStandsBesideTheSameModel) {
  Json record = bare_record({}, "var-gp");
  record["experiment"] = "split-mnist";
  record["runs"] = {
      {{"seed", 1},
       {"accuracy_matrix", Json(std::vector<Json>(5, Json(std::vector<double>(5, 0.9))))}}};
  const Json section = report({series_of(record)})["sections"][0];
  EXPECT_THAT(section["summary"][0]["text"].get<std::string>(),
              HasSubstr("The paper has 90.57 ± 1.06 % for it."));
  EXPECT_EQ(figure_of(section["figures"], "paper")["title"],
            "var-gp is below the best of the paper's Table 1 (90.57 %)");
}

TEST(Report, ARunUnderWaySaysHowFarItHasCome) {
  Json run = bare_run(1);
  run["accuracy_matrix"] = {{1.0, 0.0, 0.0}};
  const Json content = report({series_of(bare_record({run}))});
  EXPECT_THAT(content["sections"][0]["summary"][0]["text"].get<std::string>(),
              HasSubstr("has learned 1 of 3 tasks so far"));
}

TEST(Report, TheProjectsOwnRecordsCanBeShown) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(VARGP_SOURCE_DIR "/docs/results"))
    if (read_record(entry.path()).contains("runs")) paths.push_back(entry.path());
  ASSERT_GE(paths.size(), 8U);
  EXPECT_GE(report(read_all(paths))["sections"].size(), 4U);
}

TEST_F(Folders, SeedsInFoldersOfTheirOwnAreOneSeries) {
  put("a/seed-1/record.json", bare_record({bare_run(1)}));
  put("a/seed-2/record.json", bare_record({bare_run(2)}));
  put("b/record.json", bare_record({bare_run(1)}, "var-gp"));
  const auto all = read_all({root_});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].runs.size(), 2U);
  EXPECT_EQ(all[1].label, "var-gp");
}

TEST_F(Folders, ASeedUnderWayJoinsThoseThatAreFinished) {
  Json settings = bare_run(1);
  settings["settings"] = {{"beta", 1}};
  put("record.json", bare_record({settings}));
  Json under_way = bare_run(2);
  under_way["accuracy_matrix"] = {{1.0, 0.0}};
  put("progress.json", bare_record({under_way}));
  const auto all = read_all({root_});
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all[0].runs.size(), 2U);
  const Json content = report(all);  // the accuracy at the end is that of seed 1
  EXPECT_EQ(content["sections"][0]["results"]["rows"][0][2], "85.00");
}

TEST_F(Folders, LabelsTellModelsApartByAsLittleAsItTakes) {
  Json a = bare_record({bare_run(1)}), b = a, c = bare_record({bare_run(1)}, "var-gp");
  b["preset"] = "best";
  put("a/record.json", a);
  put("b/record.json", b);
  put("c/record.json", c);
  put("d/record.json", b);
  const auto all = read_all({root_});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].label, "coupled, quick, a");
  EXPECT_EQ(all[1].label, "coupled, best, b");
  EXPECT_EQ(all[2].label, "var-gp");
  EXPECT_EQ(all[3].label, "coupled, best, d");
}

TEST_F(Folders, WhereThereIsNoRecordThePathIsNamed) {
  fs::create_directories(root_);
  EXPECT_THAT([&] { read_all({root_}); }, ThrowsMessage<Error>(HasSubstr(root_.string())));
  EXPECT_THAT([&] { read_all({root_ / "none"}); },
              ThrowsMessage<Error>(HasSubstr("there is no such file or folder")));
}

TEST(Records, WhatIsWrongIsNamedByFileAndField) {
  const auto says = [](const char* pointer, const Json& value, const std::string& what) {
    Json record = bare_record({bare_run(1)});
    record["runs"][0]["reliability"] = {{{"count", 1}, {"confidence", 0.5}, {"accuracy", 1}}};
    record["runs"][0]["tasks"] = {{{"curve", {{"epoch", {1}}, {"bound", {1}}}}}, {{"rows", 1}}};
    if (value.is_discarded())
      record = record.patch({{{"op", "remove"}, {"path", pointer}}});
    else
      record[Json::json_pointer(pointer)] = value;
    EXPECT_THAT([&] { series_of(record); },
                ThrowsMessage<Error>(AllOf(HasSubstr("a/record.json: "), HasSubstr(what))))
        << pointer;
  };
  const Json missing(Json::value_t::discarded);
  says("/experiment", missing, "experiment is missing");
  says("/model", 3, "model is 3, expected a text");
  says("/runs", Json::array(), "runs is [], expected at least one run");
  says("/runs/0/seed", missing, "runs/0/seed is missing");
  says("/runs/0/accuracy_matrix/1/0", "x",
       "runs/0/accuracy_matrix/1/0 is \"x\", expected a number in [0, 1]");
  says("/runs/0/accuracy_matrix/1/0", 1.5, "runs/0/accuracy_matrix/1/0 is 1.5");
  says("/runs/0/accuracy_matrix/1", {1}, "expected a row of 2 numbers");
  says("/runs/0/accuracy_matrix", Json::array(), "runs/0/accuracy_matrix is []");
  says("/runs/0/learn_seconds", {1}, "expected 2 numbers, one a task");
  says("/runs/0/learn_seconds", {1, -1},
       "runs/0/learn_seconds/1 is -1, expected a number not below 0");
  says("/runs/0/reliability/0/count", missing, "runs/0/reliability/0/count is missing");
  says("/runs/0/tasks/0/curve/bound", {1, 2},
       "runs/0/tasks/0/curve/bound is [1,2], expected 1 numbers");
  says("/runs/0/tasks/0", 7, "runs/0/tasks/0 is 7, expected an object");
  says("/runs/0/entropy_matrix", {{0.5, 0.5}}, "runs/0/entropy_matrix is");
}

TEST(Records, LabelsCannotTurnTheTextAroundThem) {
  std::vector<Series> all = {
      series_of(bare_record({bare_run(1)}, "a\u202Eb\u2067c\033[2Jd\u05e0"))};
  label_series(all);
  EXPECT_EQ(all[0].label, "abc[2Jd\u05e0");
}

TEST(Page, LabelsNeverBecomeMarkup) {
  const std::string hostile = "</script><script>alert(1)</script><!-- \" ' &amp; \xff";
  const std::string page = report_page(report({series_of(bare_record({bare_run(1)}, hostile))}));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
}

TEST(Page, RunsOnlyWhatThePolicyNamesByItsChecksum) {
  const std::string page = report_page(report({series_of(bare_record({bare_run(1)}))}));
  EXPECT_THAT(page, Not(HasSubstr("unsafe")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("connect-src 'none'"));
  for (const char* name : {"vega.min.js", "vega-lite.min.js", "vega-embed.min.js", "report.js"}) {
    EXPECT_EQ(asset(name).sha256.size(), 44U);
    EXPECT_THAT(page, HasSubstr("'sha256-" + std::string(asset(name).sha256) + "'"));
    EXPECT_THAT(asset(name).text, Not(HasSubstr("</script"))) << name;
  }
}

}  // namespace
}  // namespace vargp
