// One training step, or one prediction, at given sizes: a line of JSON with the seconds of every
// repeat. bench/peer.py runs this beside the same work in PyTorch.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/workload.h"
#include "vargp/core/parallel.h"

int main(int argc, char** argv) {
  vargp::Sizes sizes;
  std::string layout = "per-class";
  int repeats = 5, threads = 2;
  vargp::Index predict = 0;
  CLI::App app("Seconds of a training step, or with --predict of a prediction");
  app.add_option("--tasks", sizes.tasks);
  app.add_option("--classes", sizes.classes);
  app.add_option("--inducing", sizes.inducing);
  app.add_option("--dims", sizes.dims);
  app.add_option("--batch", sizes.batch);
  app.add_option("--theta-samples", sizes.theta_samples);
  app.add_option("--function-samples", sizes.function_samples);
  app.add_option("--layout", layout)->check(CLI::IsMember({"per-class", "shared"}));
  app.add_option("--zeros", sizes.zeros, "Share of the points' entries that are 0");
  app.add_option("--repeats", repeats);
  app.add_option("--threads", threads);
  app.add_option("--predict", predict, "Rows to predict, instead of a training step");
  CLI11_PARSE(app, argc, argv);
  sizes.shared = layout == "shared";
  std::vector<double> seconds;
  vargp::with_threads(threads, [&] {
    seconds = predict > 0 ? vargp::time_predictions(sizes, predict, repeats)
                          : vargp::time_training_steps(sizes, repeats);
  });
  nlohmann::ordered_json out;
  out[predict > 0 ? "seconds_per_prediction" : "seconds_per_step"] = seconds;
  out["threads"] = threads;
  std::printf("%s\n", out.dump().c_str());
  return 0;
}
