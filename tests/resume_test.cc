// A run that is left and taken up again ends as one that was not: the same record but for times.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "vargp/core/random.h"
#include "vargp/experiment/choice.h"
#include "vargp/experiment/runner.h"
#include "vargp/io/record.h"
#include "vargp/io/safetensors.h"
#include "vargp/models/settings.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

void forget_times(Json& record) {
  for (const char* key : {"learn_seconds", "evaluate_seconds"}) record.erase(key);
  if (record.contains("runs"))
    for (Json& run : record["runs"]) forget_times(run);
}

class Checkpoints : public testing::Test {
 protected:
  Checkpoints() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Checkpoints() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::path(testing::TempDir()) / ("vargp_resume_" + std::to_string(getpid()));
};
class Pauses : public Checkpoints, public testing::WithParamInterface<const char*> {};
class Resume : public Checkpoints, public testing::WithParamInterface<const char*> {};

TEST_P(Pauses, FromAnyPauseTheRecordIsTheSame) {
  struct Stop {};
  ModelChoice options = choose("toy", GetParam(), "quick");
  set(options, "epochs", "3");
  set(options, "batch", "20");
  if (GetParam() == std::string("coupled")) {
    set(options, "likelihood", "gaussian");
    set(options, "hyper", "posterior");
    set(options, "learn-inducing", "true");
    set(options, "hyper-steps", "7");
  }
  if (GetParam() == std::string("vcl")) {
    set(options, "coreset", "5");
    set(options, "coreset-epochs", "3");
  }
  const Stream stream = toy_stream(1);
  const RunOptions run_options{"toy", "quick", options, 0, false};
  int pauses = 0;
  RunCallbacks count;
  count.pause = [&](const auto&, bool) { ++pauses; };
  Json whole = run(stream, run_options, count);
  forget_times(whole);

  // Left again and again, each time some pauses further on.
  const fs::path path = folder_ / "state";
  for (const int stride : {1, 3, pauses / 2}) {
    Json record;
    for (bool done = false; !done;) {
      int left = stride;
      RunCallbacks callbacks;
      bool saved = false;
      callbacks.pause = [&](const std::function<State()>& state, bool) {
        if (!state || --left > 0) return;
        write_safetensors(path, state());
        saved = true;
        throw Stop();
      };
      State state;
      const bool resumes = fs::exists(path);
      if (resumes) state = read_safetensors(path);
      try {
        record = run(stream, run_options, callbacks, resumes ? &state : nullptr);
        done = true;
      } catch (const Stop&) {
        ASSERT_TRUE(saved);
      }
    }
    forget_times(record);
    EXPECT_EQ(record, whole) << "left after every " << stride << " pauses";
    fs::remove(path);
  }
}

// What came of `vargp run` with these arguments.
struct Outcome {
  int code = 0;
  double seconds_after_signal = 0;
  std::string output;
};

Outcome run_program(std::vector<std::string> arguments, const fs::path& log, int signal,
                    double signal_after, bool twice = false) {
  arguments.insert(arguments.begin(), {VARGP_PROGRAM, "run", "toy"});
  fs::remove(log);
  const pid_t child = fork();
  if (child == 0) {
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(out, 1);
    dup2(out, 2);
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  using Clock = std::chrono::steady_clock;
  auto from = Clock::now();
  if (signal != 0) {
    // Counted from the first line, which comes when signals are being looked after.
    while (!fs::exists(log) || fs::file_size(log) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::duration<double>(signal_after));
    from = Clock::now();
    kill(child, signal);
    if (twice) kill(child, SIGTERM);
  }
  Outcome out;
  int status = 0;
  waitpid(child, &status, 0);
  out.seconds_after_signal = std::chrono::duration<double>(Clock::now() - from).count();
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ifstream file(log, std::ios::binary);
  out.output = {std::istreambuf_iterator<char>(file), {}};
  return out;
}

TEST_P(Resume, ASignalAtAnyMomentLosesNothing) {
  const bool var_gp = GetParam() == std::string("var-gp");
  std::vector<std::string> arguments = {"--model",   GetParam(), "--preset", "quick",
                                        "--threads", "2",        "--seeds",  var_gp ? "2" : "4"};
  if (var_gp) arguments.insert(arguments.end(), {"--epochs", "60", "--patience", "60"});
  const auto with = [&](const fs::path& out, std::vector<std::string> more = {}) {
    more.insert(more.end(), arguments.begin(), arguments.end());
    more.insert(more.end(), {"--out", out.string()});
    return more;
  };
  const fs::path one = folder_ / "one", other = folder_ / "other", log = folder_ / "log";
  const Outcome uninterrupted = run_program(with(one), log, 0, 0);
  ASSERT_EQ(uninterrupted.code, 0) << uninterrupted.output;
  const double whole = uninterrupted.seconds_after_signal;
  EXPECT_FALSE(fs::exists(one / "checkpoint.safetensors"));

  Random random(1, Purpose::kTest);
  int stops = 0;
  double longest = whole / 3;
  for (bool done = false; !done;) {
    ASSERT_LT(stops, 100);
    const double wait = random.uniform() * longest;
    const Outcome o =
        run_program(with(other, {"--resume"}), log, stops % 2 ? SIGINT : SIGTERM, wait);
    done = o.code == 0;
    if (done && stops == 0 && longest > 1e-3) {  // faster than it was before: again, and sooner
      longest /= 2;
      fs::remove_all(other);
      done = false;
      continue;
    }
    if (done) break;
    ++stops;
    ASSERT_EQ(o.code, 130) << o.output;
    EXPECT_LT(o.seconds_after_signal, 2) << o.output;
    EXPECT_THAT(o.output, HasSubstr("--resume goes on"));
  }
  EXPECT_GE(stops, 1);
  Json a = read_record(one / "record.json"), b = read_record(other / "record.json");
  forget_times(a);
  forget_times(b);
  EXPECT_EQ(a, b) << stops << " stops";
  EXPECT_FALSE(fs::exists(other / "checkpoint.safetensors"));
}

TEST_F(Checkpoints, OtherSettingsAreNamedAndTwoSignalsEndAtOnce) {
  const fs::path out = folder_ / "run", log = folder_ / "log";
  const std::vector<std::string> arguments = {"--model",    "var-gp", "--epochs", "100000",
                                              "--patience", "100000", "--out",    out.string()};
  Outcome o = run_program(arguments, log, SIGINT, 1);
  ASSERT_EQ(o.code, 130) << o.output;
  ASSERT_TRUE(fs::exists(out / "checkpoint.safetensors"));
  auto other = arguments;
  other.insert(other.end(), {"--resume", "--scale", "2"});
  o = run_program(other, log, 0, 0);
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.output, HasSubstr("scale was 5.0 there, and is 2.0 now"));
  auto resumed = arguments;
  resumed.push_back("--resume");
  o = run_program(resumed, log, SIGINT, 1, true);
  EXPECT_EQ(o.code, 130);
  EXPECT_LT(o.seconds_after_signal, 0.5);
}

const auto kName = [](const auto& one) {
  std::string name = one.param;
  std::erase(name, '-');
  return name;
};
// All that differ in what is kept of a task under way.
INSTANTIATE_TEST_SUITE_P(Models, Pauses,
                         testing::Values("coupled", "var-gp", "global", "re-var-gp", "deep-kernel",
                                         "vcl", "si", "random-features"),
                         kName);
INSTANTIATE_TEST_SUITE_P(Models, Resume, testing::Values("coupled", "var-gp", "vcl"), kName);

}  // namespace
}  // namespace vargp
