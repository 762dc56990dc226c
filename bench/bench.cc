// How fast the parts are, and which fraction of the machine's own rate they reach: that of
// OpenBLAS' sgemm, on as many threads, measured in the same run.
#include <cblas.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "bench/workload.h"
#include "vargp/core/linalg.h"
#include "vargp/core/parallel.h"
#include "vargp/core/random.h"
#include "vargp/io/environment.h"
#include "vargp/io/record.h"
#include "vargp/kernels/rbf.h"

namespace vargp {
namespace {

using Clock = std::chrono::steady_clock;

// Median seconds of body, which is run on every thread at once so that all cores are busy.
double seconds_of(int threads, int repeats, const std::function<void(int)>& body) {
  std::vector<double> seconds;
  for (int r = 0; r <= repeats; ++r) {
    const auto clock = Clock::now();
    parallel_for(threads, [&](Index i) { body(static_cast<int>(i)); });
    if (r > 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - clock).count());
  }
  return median(seconds);
}

Mat<float> random_matrix(Index rows, Index cols, Index lane) {
  return Random(1, Purpose::kTest, 0, 0, lane).normals<float>(rows, cols);
}

double sgemm_rate(int threads) {
  const Index n = 1024;
  std::vector<Mat<float>> A, B, C;
  for (int i = 0; i < threads; ++i) {
    A.push_back(random_matrix(n, n, i));
    B.push_back(random_matrix(n, n, 100 + i));
    C.emplace_back(n, n);
  }
  const double s = seconds_of(threads, 15, [&](int i) {
    const auto k = static_cast<std::size_t>(i);
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A[k].data(), n, B[k].data(),
                n, 0, C[k].data(), n);
  });
  return 2.0 * std::pow(static_cast<double>(n), 3) * threads / s;
}

}  // namespace

int run_bench(int threads, const std::string& json_file) {
  openblas_set_num_threads(1);
  Json rows = Json::array();
  double peak = 0;
  const auto report = [&](const std::string& name, double operations, double seconds) {
    rows.push_back({{"name", name},
                    {"gflop", operations / 1e9},
                    {"milliseconds", 1e3 * seconds},
                    {"gflop_per_second", operations / seconds / 1e9},
                    {"fraction_of_sgemm", operations / seconds / peak}});
    std::printf("%-58s %9.3f %9.2f %9.1f %8.2f\n", name.c_str(), operations / 1e9, 1e3 * seconds,
                operations / seconds / 1e9, operations / seconds / peak);
    std::fflush(stdout);
  };
  std::printf("%-58s %9s %9s %9s %8s\n", "", "GFLOP", "ms", "GFLOP/s", "of sgemm");
  with_threads(threads, [&] {
    peak = sgemm_rate(threads);
    report("OpenBLAS sgemm 1024, " + std::string(openblas_get_corename()) + ", on each thread",
           2e-9 * std::pow(1024.0, 3) * threads * 1e9, 2 * std::pow(1024.0, 3) * threads / peak);

    const Index n = 500, b = 512, D = 784;
    const double N = static_cast<double>(n), Bd = static_cast<double>(b),
                 Dd = static_cast<double>(D);
    const Mat<float> Z = random_matrix(n, D, 1), X = random_matrix(b, D, 2);
    Mat<float> theta = Mat<float>::Constant(D + 1, 1, 3.0F);
    theta(D) = 0;
    report("gram K(Z, X), n=500, b=512, D=784, float", threads * 2 * N * Bd * Dd,
           seconds_of(threads, 20, [&](int) { rbf_gram<float>(Z, X, theta); }));
    report("gram and its adjoint in Z and theta", threads * 4 * N * Bd * Dd,
           seconds_of(threads, 20, [&](int) {
             Tape<float> tape;
             const auto K = rbf_gram(tape.variable(Z), tape.constant_ref(X), tape.variable(theta));
             tape.backward({{K, Mat<float>::Ones(n, b)}});
           }));
    const Mat<float> K = rbf_gram<float>(Z, theta);
    const Mat<float> L = cholesky<float>(K, 1e-5, "K");
    const Mat<double> Ld = L.cast<double>();
    report("Cholesky, n=500, double", threads * N * N * N / 3,
           seconds_of(threads, 20, [&](int) { cholesky<float>(K, 1e-5, "K"); }));
    report("Cholesky's adjoint, n=500, double", threads * 2 * N * N * N / 3,
           seconds_of(threads, 20, [&](int) { cholesky_adjoint(Ld, Ld); }));
    const Mat<float> right = random_matrix(n, b, 3);
    report("triangular solve, n=500, b=512, float", threads * N * N * Bd,
           seconds_of(threads, 20, [&](int) {
             Mat<float> W = right;
             solve_lower<float>(L, W);
           }));
    for (const BaselineKind kind : {BaselineKind::kFineTune, BaselineKind::kVcl}) {
      // A point costs a product forward and one for the weights' gradient in the first layer, and
      // one more for the inputs' in the others; with variances all of them twice.
      const double each =
          (kind == BaselineKind::kVcl ? 2 : 1) * (4 * 784.0 * 100 + 6 * (100.0 * 100 + 100.0 * 10));
      report(kind == BaselineKind::kVcl ? "vcl 784-100-100-10, an epoch of 20 steps, B=1024"
                                        : "network 784-100-100-10, an epoch of 20 steps, B=1024",
             20 * 1024 * each, median(time_network_epochs(kind, 20 * 1024, 1024, threads, 7)));
    }
    Sizes per_class;
    report("training step, n=300 per class, C=10, B=512, S=3", step_operations(per_class),
           median(time_training_steps(per_class, 7)));
    Sizes shared;
    shared.shared = true;
    shared.inducing = 100;
    report("training step, n=500 shared, C=10, B=512, S=3", step_operations(shared),
           median(time_training_steps(shared, 9)));
  });
  if (!json_file.empty())
    write_record(json_file, {{"threads", threads}, {"rows", rows}, {"environment", environment()}});
  return 0;
}

}  // namespace vargp

int main(int argc, char** argv) {
  // Older OpenBLAS does not know newer processors and falls back to its slowest kernels; that would
  // flatter us. It reads its choice when it is loaded, so the program starts itself again.
  if (__builtin_cpu_supports("avx512f") && std::getenv("OPENBLAS_CORETYPE") == nullptr) {
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
    execv("/proc/self/exe", argv);
  }
  int threads = 2;
  std::string json_file;
  CLI::App app("Rates of the parts and of whole training steps");
  app.add_option("--threads", threads)->capture_default_str();
  app.add_option("--json", json_file, "Write the figures to this file");
  CLI11_PARSE(app, argc, argv);
  return vargp::run_bench(threads, json_file);
}
