// The commands on people's own data, as a person meets them: files in, files out, and nothing lost
// whatever happens in between.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "vargp/core/random.h"
#include "vargp/io/record.h"
#include "vargp/table/table_model.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Outcome {
  int code = 0;
  std::string output, error;
  double peak = 0;  // memory, in bytes
};

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class OwnData : public testing::Test {
 protected:
  OwnData() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~OwnData() override { fs::remove_all(folder_); }

  pid_t start(std::vector<std::string> arguments, const std::string& input = "") {
    if (!input.empty()) std::ofstream(folder_ / "input") << input;
    arguments.insert(arguments.begin(), VARGP_PROGRAM);
    const pid_t child = fork();
    if (child == 0) {
      const auto redirect = [&](const char* name, int flags, int to) {
        dup2(open((folder_ / name).c_str(), flags, 0666), to);
      };
      if (!input.empty()) redirect("input", O_RDONLY, 0);
      redirect("output", O_WRONLY | O_CREAT | O_TRUNC, 1);
      redirect("error", O_WRONLY | O_CREAT | O_TRUNC, 2);
      [[maybe_unused]] const int moved = chdir(folder_.c_str());
      std::vector<char*> argv;
      for (std::string& a : arguments) argv.push_back(a.data());
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    return child;
  }

  Outcome finish(pid_t child) {
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            contents(folder_ / "output"), contents(folder_ / "error"),
            1024 * static_cast<double>(usage.ru_maxrss)};
  }

  Outcome vargp(const std::vector<std::string>& arguments, const std::string& input = "") {
    return finish(start(arguments, input));
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  // age,city,weight,group: the group goes by age and city. The order of the columns may change.
  void write_people(const std::string& name, std::uint64_t seed, int rows, int first = 0,
                    bool turned = false) {
    Random random(seed, Purpose::kTest);
    std::string text = turned ? "group,weight,age,city\n" : "age,city,weight,group\n";
    for (int i = 0; i < rows; ++i) {
      const int k = first + i % 2;
      const std::string city = random.below(2) == 0 ? "Rome" : "Oslo",
                        age = fmt::format("{:.3f}", 30 + 20 * k + 4 * random.normal()),
                        weight = fmt::format("{:.1f}", 70 + 10 * random.normal()),
                        group = fmt::format("\"group, {}\"", k);
      text += turned ? group + "," + weight + "," + age + "," + city + "\n"
                     : age + "," + city + "," + weight + "," + group + "\n";
    }
    write(name, text);
  }

  const std::vector<std::string> quick_ = {"--inducing", "40", "--hyper-steps", "10"};
  Outcome learn(std::vector<std::string> arguments, bool made = true) {
    arguments.insert(arguments.begin(), "learn");
    if (made) arguments.insert(arguments.end(), quick_.begin(), quick_.end());
    return vargp(arguments);
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("vargp_own_data_" + std::to_string(getpid()));
};

TEST_F(OwnData, TwoMonthsAreLearnedPredictedEvaluatedAndInspected) {
  write_people("january.csv", 1, 300);
  write_people("february.csv", 2, 300, 2, true);
  Outcome o = learn({"m.vargp", "january.csv", "--label", "group"});
  ASSERT_EQ(o.code, 0) << o.error;
  EXPECT_THAT(o.output, AllOf(HasSubstr("learned task 1 from january.csv"), HasSubstr("300"),
                              HasSubstr("group, 0 150"), HasSubstr("% right")));
  o = learn({"m.vargp", "february.csv", "--json"}, false);
  ASSERT_EQ(o.code, 0) << o.error;
  const Json report = Json::parse(o.output);
  EXPECT_EQ(report["task"], 2);
  EXPECT_EQ(report["classes"].size(), 4u);
  EXPECT_LT(report["moved"][0]["distance"].get<double>(), 0.2);

  write_people("all.csv", 3, 200);
  o = vargp({"evaluate", "m.vargp", "all.csv", "--json"});
  ASSERT_EQ(o.code, 0) << o.error;
  EXPECT_GT(Json::parse(o.output)["accuracy"].get<double>(), 0.95);
  o = vargp({"evaluate", "m.vargp", "all.csv"});
  EXPECT_THAT(o.output, AllOf(HasSubstr("Confusion matrix"), HasSubstr("calibration error")));

  o = vargp({"predict", "m.vargp", "all.csv"});
  ASSERT_EQ(o.code, 0) << o.error;
  EXPECT_THAT(o.output, StartsWith("label,\"probability_group, 0\","));
  EXPECT_EQ(std::count(o.output.begin(), o.output.end(), '\n'), 201);
  o = vargp({"predict", "m.vargp", "all.csv", "--out", "said.jsonl"});
  ASSERT_EQ(o.code, 0) << o.error;
  const Json row = Json::parse(
      contents(folder_ / "said.jsonl").substr(0, contents(folder_ / "said.jsonl").find('\n')));
  EXPECT_EQ(row["label"], "group, 0");
  EXPECT_EQ(row["probability"].size(), 4u);
  ASSERT_EQ(vargp({"predict", "m.vargp", "all.csv", "--out", "said.npy"}).code, 0);
  EXPECT_EQ(fs::file_size(folder_ / "said.npy"), 128 + 200 * 14 * 8u);

  o = vargp({"inspect", "m.vargp"});
  ASSERT_EQ(o.code, 0) << o.error;
  EXPECT_THAT(o.output, AllOf(HasSubstr("january.csv"), HasSubstr("february.csv"),
                              HasSubstr("Oslo, Rome"), HasSubstr("checksum")));
  o = vargp({"inspect", "m.vargp", "--json"});
  EXPECT_EQ(Json::parse(o.output)["tasks"].size(), 2u);
}

TEST_F(OwnData, StandardInputIsAnsweredRowByRowAndWithTheSameBits) {
  write_people("january.csv", 1, 200);
  ASSERT_EQ(learn({"m.vargp", "january.csv", "--label", "group"}).code, 0);
  write_people("new.csv", 2, 50);
  const Outcome whole = vargp({"predict", "m.vargp", "new.csv"});
  EXPECT_EQ(vargp({"predict", "m.vargp", "-"}, contents(folder_ / "new.csv")).output, whole.output);
  // One row goes in, one comes out, and only then the next goes in.
  int in[2], out[2];
  ASSERT_EQ(pipe(in), 0);
  ASSERT_EQ(pipe(out), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    for (const int end : {in[0], in[1], out[0], out[1]}) close(end);
    execl(VARGP_PROGRAM, VARGP_PROGRAM, "predict", (folder_ / "m.vargp").c_str(), "-", nullptr);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  std::istringstream rows(contents(folder_ / "new.csv"));
  std::string line, answered;
  std::getline(rows, line);
  const auto send = [&] {
    line += "\n";
    ASSERT_EQ(::write(in[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
  };
  send();
  for (Index expected = 2; expected < 6; ++expected) {
    std::getline(rows, line);
    send();
    while (std::count(answered.begin(), answered.end(), '\n') < expected) {
      char buffer[4096];
      const ssize_t got = read(out[0], buffer, sizeof buffer);
      ASSERT_GT(got, 0);
      answered.append(buffer, static_cast<std::size_t>(got));
    }
    EXPECT_EQ(std::count(answered.begin(), answered.end(), '\n'), expected);
  }
  close(in[1]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(whole.output, StartsWith(answered));
}

TEST_F(OwnData, ARegressionIsLearnedFromNumbers) {
  Random random(1, Purpose::kTest);
  std::string text = "x;y\r\n";  // as some offices write them
  for (int i = 0; i < 300; ++i) {
    const double x = 6 * random.uniform();
    text += fmt::format("{:.4f};{:.4f}\r\n", x, 100 + 20 * std::sin(x) + random.normal());
  }
  write("numbers.csv", text);
  Outcome o = learn({"m.vargp", "numbers.csv", "--label", "y", "--regression"});
  ASSERT_EQ(o.code, 0) << o.error;
  o = vargp({"evaluate", "m.vargp", "numbers.csv", "--json"});
  ASSERT_EQ(o.code, 0) << o.error;
  EXPECT_NEAR(Json::parse(o.output)["rmse"].get<double>(), 1, 0.3);
  o = vargp({"predict", "m.vargp", "-", "--interval", "0.9"}, "x\n1.5707963\n");
  ASSERT_EQ(o.code, 0) << o.error;
  EXPECT_THAT(o.output, StartsWith("mean,sd,low,high"));
  EXPECT_NEAR(std::stod(o.output.substr(o.output.find('\n') + 1)), 120, 1.5);
}

TEST_F(OwnData, AReportIsWrittenBesideTheModelOrRefusedBeforeItLearns) {
  write_people("january.csv", 1, 200);
  const auto refused = [&](const std::string& page, const std::string& why) {
    const Outcome said = learn({"m.vargp", "january.csv", "--label", "group", "--report", page});
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.error, HasSubstr(why));
    EXPECT_FALSE(fs::exists(folder_ / "m.vargp"));
  };
  refused("none/page.html", "none/page.html: cannot be written");
  refused("january.csv", "--report january.csv: a report is written to a file .html");
  const Outcome learned =
      learn({"m.vargp", "january.csv", "--label", "group", "--report", "m.vargp.html"});
  EXPECT_EQ(learned.code, 0) << learned.error;
  EXPECT_THAT(learned.output, HasSubstr("report: m.vargp.html\n"));
  EXPECT_EQ(vargp({"inspect", "m.vargp", "--report", "again.html"}).code, 0);
  EXPECT_THAT(contents(folder_ / "m.vargp.html"), StartsWith("<!DOCTYPE html>"));
  EXPECT_EQ(contents(folder_ / "m.vargp.html"), contents(folder_ / "again.html"));
  // A page that is there stays if learning fails.
  write("bad.csv", "age,city,weight,group\n1,Rome,x,a\n");
  EXPECT_EQ(vargp({"learn", "m.vargp", "bad.csv", "--report", "again.html"}).code, 2);
  EXPECT_EQ(contents(folder_ / "m.vargp.html"), contents(folder_ / "again.html"));
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
}

TEST_F(OwnData, ErrorsNameFileLineAndColumn) {
  write_people("january.csv", 1, 200);
  ASSERT_EQ(learn({"m.vargp", "january.csv", "--label", "group"}).code, 0);
  const std::string before = contents(folder_ / "m.vargp");
  const auto fails = [&](const std::vector<std::string>& arguments, const auto& says) {
    const Outcome o = vargp(arguments);
    EXPECT_EQ(o.code, 2) << o.output;
    EXPECT_THAT(o.error, says);
    EXPECT_EQ(o.output, "");
    EXPECT_EQ(contents(folder_ / "m.vargp"), before);
  };
  write("text.csv", "age,city,weight,group\n40,Rome,70,\"group, 0\"\nold,Rome,70,\"group, 0\"\n");
  fails({"learn", "m.vargp", "text.csv"},
        AllOf(HasSubstr("text.csv"), HasSubstr("line 3"), HasSubstr("age"), HasSubstr("old")));
  fails({"predict", "m.vargp", "text.csv", "--out", "never.csv"}, HasSubstr("line 3"));
  EXPECT_FALSE(fs::exists(folder_ / "never.csv"));
  write("other.csv", "age,town,weight,group\n40,Rome,70,\"group, 0\"\n");
  fails({"learn", "m.vargp", "other.csv"},
        AllOf(HasSubstr("missing: city"), HasSubstr("unknown: town")));
  write("gaps.csv", "age,city,weight,group\n40,Rome,70,\"group, 0\"\n,Rome,,\"group, 0\"\n");
  fails({"learn", "m.vargp", "gaps.csv"},
        AllOf(HasSubstr("2 values are missing"), HasSubstr("line 3"), HasSubstr("age")));
  fails({"predict", "m.vargp", "gaps.csv"}, AllOf(HasSubstr("line 3"), HasSubstr("age")));
  write("level.csv", "age,city,weight,group\n40,Paris,70,\"group, 0\"\n");
  fails({"predict", "m.vargp", "level.csv"},
        AllOf(HasSubstr("line 2"), HasSubstr("city"), HasSubstr("Paris"), HasSubstr("Oslo, Rome")));
  write("label.csv", "age,city,weight,group\n40,Rome,70,nobody\n");
  fails({"evaluate", "m.vargp", "label.csv"},
        AllOf(HasSubstr("line 2"), HasSubstr("group"), HasSubstr("nobody")));
  fails({"learn", "m.vargp", "january.csv", "--inducing", "10"}, HasSubstr("--inducing"));
  fails({"learn", "m.vargp", "january.csv", "--label", "city"}, HasSubstr("--label city"));
  fails({"learn", "m.vargp", "nowhere.csv"}, HasSubstr("nowhere.csv"));
  fails({"learn", "other.vargp", "january.csv"}, HasSubstr("--label must name"));
  EXPECT_FALSE(fs::exists(folder_ / "other.vargp"));
  fails({"predict", "january.csv", "january.csv"}, HasSubstr("january.csv: is no model file"));
  fails({"learn", "nowhere/m.vargp", "january.csv", "--label", "group"},
        HasSubstr("there is no folder nowhere"));
  fails({"predict", "m.vargp", "january.csv", "--interval", "95"}, HasSubstr("--interval 95"));
  write("large.csv", "age,city,weight,group\n40,Rome,70,\"group, 0\"\n4,Rome,1e200,\"group, 0\"\n");
  fails({"learn", "m.vargp", "large.csv"},
        AllOf(HasSubstr("large.csv"), HasSubstr("line 3"), HasSubstr("weight"), HasSubstr("1e+200"),
              HasSubstr("1e+150")));
  fails({"predict", "m.vargp", "large.csv"}, AllOf(HasSubstr("line 3"), HasSubstr("weight")));
  fails({"predict", "m.vargp", "january.csv", "--out", "./m.vargp"}, HasSubstr("--out ./m.vargp"));
  fails({"predict", "m.vargp", "january.csv", "--threads", "-1"},
        StartsWith("vargp: threads = -1"));
  write("broken.vargp", before.substr(0, before.size() / 2));
  fails({"predict", "broken.vargp", "january.csv"}, HasSubstr("broken.vargp"));
}

TEST_F(OwnData, WhatCannotBePrintedIsAnError) {
  write_people("january.csv", 1, 200);
  ASSERT_EQ(learn({"m.vargp", "january.csv", "--label", "group"}).code, 0);
  for (const char* command : {"inspect m.vargp", "evaluate m.vargp january.csv"}) {
    const std::string line = fmt::format("cd '{}' && '{}' {} >/dev/full 2>error", folder_.string(),
                                         VARGP_PROGRAM, command);
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 1) << command;
    EXPECT_THAT(contents(folder_ / "error"), HasSubstr("standard output: cannot be written"));
  }
}

TEST_F(OwnData, WithGivenClassesAnUnseenLabelIsRefused) {
  write("one.csv", "x,label\n1,a\n2,b\n3,a\n4,b\n");
  write("two.csv", "x,label\n1,a\n2,c\n");
  ASSERT_EQ(learn({"m.vargp", "one.csv", "--classes", "a,b"}).code, 0);
  const Outcome o = learn({"m.vargp", "two.csv"}, false);
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.error, AllOf(HasSubstr("line 3"), HasSubstr("\"c\""), HasSubstr("a, b")));
}

TEST_F(OwnData, MissingValuesMayBeTheMeanAndUnseenLevelsNone) {
  std::string text = "x,city,label\n";
  for (int i = 0; i < 60; ++i)
    text += fmt::format("{},{},{}\n", i % 7 == 0 ? "" : std::to_string(i), i % 3 ? "Rome" : "Oslo",
                        i < 30 ? "low" : "high");
  write("gaps.csv", text);
  ASSERT_EQ(learn({"m.vargp", "gaps.csv", "--missing", "mean", "--unseen", "ignore"}).code, 0);
  const Outcome o = vargp({"predict", "m.vargp", "-"}, "x,city\n5,Rome\n55,Paris\n,\n");
  EXPECT_EQ(o.code, 0) << o.error;
  EXPECT_THAT(o.output, AllOf(HasSubstr("\nlow,"), HasSubstr("\nhigh,")));
}

TEST_F(OwnData, AFileLargerThanTheSampleIsLearnedWhole) {
  write_people("large.csv", 1, 30000);
  const Outcome o = learn({"m.vargp", "large.csv", "--label", "group", "--json"});
  ASSERT_EQ(o.code, 0) << o.error;
  EXPECT_EQ(Json::parse(o.output)["rows"], 30000);
  EXPECT_GT(Json::parse(o.output)["validation_accuracy"].get<double>(), 0.95);
  // As much is known as 30000 rows tell: the same rows from a pipe, all in memory, give nearly the
  // same function.
  ASSERT_EQ(vargp({"learn", "p.vargp", "-", "--label", "group", "--inducing", "40", "--hyper-steps",
                   "10"},
                  contents(folder_ / "large.csv"))
                .code,
            0);
  write_people("new.csv", 2, 100);
  const auto json = [&](const char* model) {
    return Json::parse(vargp({"evaluate", model, "new.csv", "--json"}).output);
  };
  EXPECT_NEAR(json("m.vargp")["nll"].get<double>(), json("p.vargp")["nll"].get<double>(), 0.05);
}

TEST_F(OwnData, MemoryDoesNotFollowTheFile) {
  write_people("large.csv", 1, 40000);
  write_people("larger.csv", 1, 400000);
  const Outcome large = learn({"a.vargp", "large.csv", "--label", "group"}),
                larger = learn({"b.vargp", "larger.csv", "--label", "group"});
  ASSERT_EQ(large.code, 0) << large.error;
  ASSERT_EQ(larger.code, 0) << larger.error;
  EXPECT_LT(larger.peak, large.peak + 10e6);
}

TEST_F(OwnData, MemoryFollowsTheNumberOfColumnsNotItsSquare) {
  constexpr int kColumns = 20'000;  // whose square takes 3 GB
  std::string text = "label";
  for (int j = 0; j < kColumns; ++j) text += fmt::format(",c{}", j);
  for (int i = 0; i < 6; ++i) {
    text += fmt::format("\n{}", i % 2);
    for (int j = 0; j < kColumns; ++j) text += fmt::format(",{}", (i * j) % 7);
  }
  write("wide.csv", text + "\n");
  const Outcome o = learn({"m.vargp", "wide.csv"});
  ASSERT_EQ(o.code, 0) << o.error;
  EXPECT_LT(o.peak, 300e6);
}

TEST_F(OwnData, EveryColumnHasItsLengthscaleButPixelsShareOne) {
  const auto ard = [&](const std::string& model) {
    return Json::parse(vargp({"inspect", model, "--json"}).output)["settings"]["ard"].get<bool>();
  };
  write_people("january.csv", 1, 200);
  ASSERT_EQ(learn({"people.vargp", "january.csv", "--label", "group"}).code, 0);
  EXPECT_TRUE(ard("people.vargp"));
  // Twenty pictures of 2 x 2 pixels: dark ones are 0, bright ones 1.
  std::string images("\0\0\x08\x03\0\0\0\x14\0\0\0\x02\0\0\0\x02", 16);
  std::string labels("\0\0\x08\x01\0\0\0\x14", 8);
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 4; ++k) images += static_cast<char>(i % 2 * 100 + 3 * i + k);
    labels += static_cast<char>(i % 2);
  }
  write("images-idx3-ubyte", images);
  write("labels", labels);
  const std::vector<std::string> task = {"images-idx3-ubyte", "--labels", "labels"};
  ASSERT_EQ(learn({"one.vargp", task[0], task[1], task[2]}).code, 0);
  EXPECT_FALSE(ard("one.vargp"));
  ASSERT_EQ(learn({"each.vargp", task[0], task[1], task[2], "--ard", "true"}).code, 0);
  EXPECT_TRUE(ard("each.vargp"));
}

TEST_F(OwnData, NoInducingPointIsARow) {
  write_people("january.csv", 1, 200);
  ASSERT_EQ(learn({"m.vargp", "january.csv", "--label", "group", "--private-minimum", "8"}).code,
            0);
  const TableModel model = TableModel::load(folder_ / "m.vargp");
  std::istringstream rows(contents(folder_ / "january.csv"));
  std::string line;
  std::getline(rows, line);
  const RowMat<double> Z = model.inducing_inputs()[0];
  ASSERT_LE(Z.rows(), 200 / 8);
  while (std::getline(rows, line)) {
    const double age = std::stod(line);
    for (Index m = 0; m < Z.rows(); ++m) EXPECT_GT(std::abs(Z(m, 0) - age), 1e-6) << line;
  }
  const Outcome o = learn(
      {"n.vargp", "january.csv", "--label", "group", "--private-minimum", "8", "--start", "rows"});
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.error, HasSubstr("private_minimum"));
}

TEST_F(OwnData, KilledAtAnyMomentTheOldModelOrTheNewIsWhole) {
  write_people("january.csv", 1, 200);
  write_people("february.csv", 2, 200, 1);
  ASSERT_EQ(learn({"old.vargp", "january.csv", "--label", "group"}).code, 0);
  const std::string old_model = contents(folder_ / "old.vargp");
  const auto restore = [&] { write("m.vargp", old_model); };
  restore();
  using Clock = std::chrono::steady_clock;
  const auto from = Clock::now();
  ASSERT_EQ(learn({"m.vargp", "february.csv"}, false).code, 0);
  const double whole = std::chrono::duration<double>(Clock::now() - from).count();
  const Eigen::MatrixXd X = (Eigen::MatrixXd(1, 4) << 0.1, 1, 0, 0.2).finished();
  const auto answer = [&] {
    return TableModel::load(folder_ / "m.vargp").predict_encoded(X).probability;
  };
  const Eigen::MatrixXd learned = answer();

  Random random(1, Purpose::kTest);
  int kept = 0, replaced = 0;
  for (int i = 0; i < 200; ++i) {
    restore();
    const pid_t child = start({"learn", "m.vargp", "february.csv"});
    // Half of them near the end, where the file is written.
    const double at = i % 2 == 0 ? random.uniform() : 0.75 + 0.35 * random.uniform();
    std::this_thread::sleep_for(std::chrono::duration<double>(at * whole));
    kill(child, SIGKILL);
    finish(child);
    if (contents(folder_ / "m.vargp") == old_model) {
      ++kept;
    } else {
      ++replaced;
      ASSERT_EQ(answer(), learned) << "killed at " << at;
    }
  }
  EXPECT_GT(kept, 20);
  RecordProperty("kept", kept);
  RecordProperty("replaced", replaced);
  // Nothing of it is in the way later, nor left lying about.
  restore();
  ASSERT_EQ(learn({"m.vargp", "february.csv"}, false).code, 0);
  EXPECT_EQ(answer(), learned);
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_THAT(entry.path().filename().string(), Not(testing::EndsWith(".tmp")));
}

TEST_F(OwnData, StoppedByCtrlCTheModelIsAsItWas) {
  write_people("january.csv", 1, 400);
  ASSERT_EQ(learn({"m.vargp", "january.csv", "--label", "group"}).code, 0);
  const std::string before = contents(folder_ / "m.vargp");
  for (const int ms : {0, 300, 600}) {
    const pid_t child =
        start({"learn", "n.vargp", "january.csv", "--label", "group", "--hyper-steps", "100000"});
    while (!fs::exists(folder_ / "n.vargp.lock") && kill(child, 0) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    kill(child, SIGINT);
    const Outcome o = finish(child);
    EXPECT_EQ(o.code, 130);
    EXPECT_THAT(o.error, HasSubstr("as it was before"));
    EXPECT_FALSE(fs::exists(folder_ / "n.vargp"));
  }
  EXPECT_EQ(contents(folder_ / "m.vargp"), before);
}

TEST_F(OwnData, TheSecondOfTwoLearnersIsRefused) {
  write_people("january.csv", 1, 400);
  const pid_t first =
      start({"learn", "m.vargp", "january.csv", "--label", "group", "--hyper-steps", "100000"});
  while (!fs::exists(folder_ / "m.vargp.lock"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const Outcome second = learn({"m.vargp", "january.csv", "--label", "group"});
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.error, AllOf(HasSubstr("m.vargp"), HasSubstr("in use by process")));
  kill(first, SIGKILL);
  finish(first);
  // The lock went with the one who held it.
  EXPECT_EQ(learn({"m.vargp", "january.csv", "--label", "group"}).code, 0);
}

}  // namespace
}  // namespace vargp
