#include "vargp/report/model_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vargp/core/exceptions.h"
#include "vargp/report/report.h"

namespace vargp {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

// Two months of people, as `vargp inspect --json` tells of them.
Json people() {
  return Json::parse(R"({
    "schema": {"columns": [{"name": "age", "mean": 40, "deviation": 10},
                           {"name": "city", "levels": ["Oslo", "Rome"]}],
               "label": "group", "regression": false, "classes": ["a", "b", "c"],
               "standardise": true, "image": [0, 0]},
    "tasks": [
      {"date": "2026-01-31T09:30:00Z", "source": "january.csv", "rows": 300, "inducing": 2,
       "bound": -150, "validation_accuracy": 0.9, "seconds": 1.5,
       "class_rows": {"a": 200, "b": 100}, "moved": {"distance": 0.25, "changed": 0.5}},
      {"date": "2026-02-28T09:30:00Z", "source": "february.csv", "rows": 1000, "inducing": 7,
       "bound": -100, "validation_accuracy": 0.95, "seconds": 2.5,
       "class_rows": {"a": 400, "c": 600}, "moved": {"distance": 0, "changed": 0}}],
    "theta": {"lengthscales": [
      {"input": "age", "lengthscale": 2, "lengthscale_in_units": 20, "log_deviation": 0.1},
      {"input": "city=Oslo", "lengthscale": 0.5, "lengthscale_in_units": 0.5, "log_deviation": 0.2},
      {"input": "city=Rome", "lengthscale": 4, "lengthscale_in_units": 4, "log_deviation": 0.3}]},
    "noise_sd": 0,
    "inducing_inputs": [[[31, 1, -1e-7], [52, 0.25, 0.75]],
                        [[1, 0, 1], [2, 0, 1], [3, 0, 1], [4, 0, 1], [5, 0, 1], [6, 0, 1], [7, 0, 1]]],
    "state_bytes": 2000000,
    "settings": {"start": "k-means", "learn-inducing": false, "private-minimum": 1}})");
}

// The same people, with a number to predict.
Json heights() {
  Json out = people();
  out["schema"]["regression"] = true;
  out["schema"]["classes"] = Json::array();
  out["schema"]["label"] = "height";
  for (Json& task : out["tasks"]) {
    task.erase("class_rows");
    task["validation_rmse"] = 10 * task["validation_accuracy"].get<double>();
    task.erase("validation_accuracy");
    task["moved"].erase("changed");
  }
  return out;
}

Json section_of(const Json& inspected) {
  return model_report("people.vargp", inspected)["sections"][0];
}

Json figure_of(const Json& section, const std::string& id) {
  for (const Json& f : section["figures"])
    if (f["id"] == id) return f;
  return {};
}

std::string words(const Json& section) {
  std::string out;
  for (const Json& s : section["summary"])
    out += s["lead"].get<std::string>() + " " + s["text"].get<std::string>() + "\n";
  return out;
}

TEST(ModelReport, SaysInWordsWhatWasLearned) {
  EXPECT_EQ(words(section_of(people())),
            "people.vargp predicts group (3 classes) from 3 inputs. It has learned 1,300 rows in 2 "
            "tasks (the last from february.csv on 2026-02-28), which took 4.0 s. Instead of the "
            "rows it keeps 9 inducing points: a state of 2.0 MB.\n"
            "How good? On rows of the last task that were held out while it was learned, 95.00 % "
            "of the answers were right (90.00 % for the first task).\n"
            "New classes? Task 2 (february.csv) brought c.\n"
            "What was forgotten? Without old rows, the model watches what it predicts at each "
            "task's inducing points. For task 1 (january.csv) this has moved most since it was "
            "learned, by 25.00 %; at 50.00 % of the points another class is the most probable "
            "now.\n"
            "Which inputs matter? city=Oslo most, city=Rome least.\n");
}

TEST(ModelReport, OfARegressionSpeaksOfErrorsAndDeviations) {
  const Json section = section_of(heights());
  EXPECT_THAT(words(section),
              AllOf(HasSubstr("people.vargp predicts height (a number) from 3 inputs"),
                    HasSubstr("the root mean squared error was 9.5 (9 for the first task)."),
                    HasSubstr("has moved most since it was learned, by 0.250 sd."),
                    Not(HasSubstr("class"))));
  EXPECT_EQ(figure_of(section, "rows")["rows"][1], (Json{2, "february.csv", 1000}));
  EXPECT_EQ(figure_of(section, "moved")["rows"].size(), 2U);
  EXPECT_EQ(section["results"]["columns"][4], "validation RMSE");
}

TEST(ModelReport, FiguresHoldTheModelsNumbers) {
  const Json section = section_of(people());
  std::vector<std::string> ids;
  for (const Json& f : section["figures"]) ids.push_back(f["id"]);
  EXPECT_THAT(ids,
              ElementsAre("rows", "validation", "moved", "bound", "seconds", "inputs", "inducing"));
  const Json rows = figure_of(section, "rows");
  EXPECT_EQ(rows["rows"][2], (Json{2, "february.csv", "a", 400, ""}));
  EXPECT_EQ(rows["rows"][3], (Json{2, "february.csv", "c", 600, "new"}));
  EXPECT_EQ(rows["title"], "1,300 rows in 2 tasks; 46 % of them are a");
  EXPECT_EQ(figure_of(section, "validation")["rows"][0], (Json{"accuracy", 1, "january.csv", 0.9}));
  EXPECT_EQ(figure_of(section, "moved")["rows"][0], (Json{"moved", 1, "january.csv", 0.25}));
  EXPECT_EQ(figure_of(section, "moved")["rows"][2], (Json{"another class", 1, "january.csv", 0.5}));
  EXPECT_EQ(figure_of(section, "bound")["rows"][1], (Json{"bound", 2, "february.csv", -0.1}));
  const Json inputs = figure_of(section, "inputs");
  EXPECT_EQ(inputs["rows"][0], (Json{"city=Oslo", 0.5, 0.2, 0.5}));
  EXPECT_EQ(inputs["rows"][1], (Json{"age", 2, 0.1, 20}));
}

TEST(ModelReport, ShowsAFewInducingPointsWithTheInputsThatMatterMostFirst) {
  const Json section = section_of(people());
  const Json points = figure_of(section, "inducing");
  EXPECT_EQ(points["columns"][2]["label"], "city=Oslo");
  ASSERT_EQ(points["rows"].size(), 2U + 5U);             // of 2 and of 7
  EXPECT_EQ(points["rows"][0], (Json{1, 1, 1, 31, 0}));  // no digits without meaning
  EXPECT_EQ(points["rows"][1], (Json{1, 2, 0.25, 52, 0.75}));
  Json inspected = people();
  inspected["settings"]["private-minimum"] = 10;
  EXPECT_THAT(figure_of(section_of(inspected), "inducing")["caption"].get<std::string>(),
              HasSubstr("Each is the average of 10 rows or more."));
}

TEST(ModelReport, PicturesAreShownAsPictures) {
  Json inspected = people();
  inspected["schema"]["image"] = {1, 3};
  const Json section = section_of(inspected);
  const Json images = figure_of(section, "inducing");
  EXPECT_EQ(images["kind"], "images");
  EXPECT_EQ(images["groups"][0]["cols"], 3);
  EXPECT_EQ(images["groups"][0]["pixels"][0], "mAUA");           // 31, 1 and 0 of 0 to 52
  EXPECT_EQ(figure_of(section, "inputs")["rows"][0][0], "age");  // in the order of the pixels
  EXPECT_FALSE(section.contains("columns"));
}

TEST(ModelReport, WhatOneTaskCannotTellIsLeftOut) {
  Json inspected = people();
  inspected["tasks"].erase(1);
  for (Json& l : inspected["theta"]["lengthscales"]) l["lengthscale"] = 2;
  const Json section = section_of(inspected);
  EXPECT_THAT(words(section),
              AllOf(HasSubstr("300 rows in 1 task (from january.csv on 2026-01-31)"),
                    HasSubstr("one lengthscale for all 3 inputs"), Not(HasSubstr("forgotten"))));
  std::vector<std::string> ids;
  for (const Json& f : section["figures"]) ids.push_back(f["id"]);
  EXPECT_THAT(ids, ElementsAre("rows", "inputs", "inducing"));
  EXPECT_EQ(figure_of(section, "inputs")["kind"], "table");
  inspected["tasks"] = Json::array();
  EXPECT_THAT([&] { section_of(inspected); },
              ThrowsMessage<Error>(HasSubstr("has not learned anything yet")));
}

TEST(ModelReport, NamesNeverBecomeMarkup) {
  const std::string hostile = "</script><script>alert(1)</script>\u202E\033[2J\xff";
  Json inspected = people();
  inspected["schema"]["label"] = hostile;
  inspected["schema"]["columns"][0]["name"] = hostile;
  inspected["schema"]["columns"][1]["levels"][0] = hostile;
  inspected["tasks"][1]["source"] = hostile;
  inspected["tasks"][1]["class_rows"] = {{hostile, 1000}};
  inspected["theta"]["lengthscales"][1]["input"] = hostile;
  const std::string page = report_page(model_report(hostile, inspected));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("\\u202e")),
                          Not(HasSubstr("\\u001b"))));
  EXPECT_THAT(page, HasSubstr("\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
}

}  // namespace
}  // namespace vargp
