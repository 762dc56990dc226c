// The bound and its gradients against the authors' own implementation (double precision, no
// jitter), on every case in tests/golden or in the folder that VARGP_GOLDEN_DIR names.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "vargp/autodiff/ops.h"
#include "vargp/likelihoods/softmax.h"
#include "vargp/models/bound.h"
#include "vargp/models/hyper.h"

namespace vargp {
namespace {

using Json = nlohmann::json;
using Matrix = Mat<double>;

Matrix vector_from(const Json& j) {
  Matrix v(static_cast<Index>(j.size()), 1);
  for (std::size_t i = 0; i < j.size(); ++i) v(static_cast<Index>(i), 0) = j[i];
  return v;
}

Matrix matrix_from(const Json& j) {
  Matrix m(static_cast<Index>(j.size()), static_cast<Index>(j[0].size()));
  for (std::size_t i = 0; i < j.size(); ++i)
    m.row(static_cast<Index>(i)) = vector_from(j[i]).transpose();
  return m;
}

void expect_close(const Matrix& got, const Matrix& expected, double tolerance, const char* what) {
  ASSERT_EQ(got.rows(), expected.rows()) << what;
  ASSERT_EQ(got.cols(), expected.cols()) << what;
  const double scale = std::max(expected.cwiseAbs().maxCoeff(), 1e-300);
  EXPECT_LE((got - expected).cwiseAbs().maxCoeff() / scale, tolerance) << what;
}

void expect_close(double got, double expected, double tolerance, const char* what) {
  EXPECT_LE(std::abs(got - expected), tolerance * std::max(1.0, std::abs(expected))) << what;
}

class GoldenTest : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoldenTest, BoundGradientsAndProbabilitiesEqualTheAuthors) {
  std::ifstream file(GetParam());
  ASSERT_TRUE(file) << GetParam();
  const Json j = Json::parse(file);
  const Index C = j["C"], S = j["S"], F = j["F"], B = j["B"];
  const Groups groups{.shared = false, .C = C};

  std::vector<InducingBlock<double>> frozen;
  const auto& blocks = j["blocks"];
  const auto vector_of_tril = [](const Matrix& v, Index M) {
    Tape<double> tape;
    return Matrix(lower_from_vector(tape.constant(v), M).value());
  };
  for (std::size_t t = 0; t + 1 < blocks.size(); ++t) {
    InducingBlock<double> b;
    b.m = matrix_from(blocks[t]["u_mean"]).transpose();
    for (std::size_t c = 0; c < static_cast<std::size_t>(C); ++c) {
      b.Z.push_back(matrix_from(blocks[t]["Z"][c]));
      b.Ls.push_back(vector_of_tril(vector_from(blocks[t]["u_tril_vec"][c]), b.m.rows()));
    }
    frozen.push_back(std::move(b));
  }

  Tape<double> tape;
  TaskVars<double> q;
  std::vector<Var<double>> trils;
  const auto& current = blocks.back();
  q.m = tape.variable(matrix_from(current["u_mean"]).transpose());
  for (std::size_t c = 0; c < static_cast<std::size_t>(C); ++c) {
    q.Z.push_back(tape.variable(matrix_from(current["Z"][c])));
    trils.push_back(tape.variable(vector_from(current["u_tril_vec"][c])));
    q.Ls.push_back(lower_from_vector(trils.back(), q.m.rows()));
  }
  const Var<double> theta_mean = tape.variable(vector_from(j["hyper"]["log_mean"]));
  const Var<double> theta_logvar = tape.variable(vector_from(j["hyper"]["log_logvar"]));
  q.log_noise = tape.constant(Matrix::Zero(1, 1));
  const HyperPosterior<double> prior{vector_from(j["hyper"]["prior_log_mean"]),
                                     vector_from(j["hyper"]["prior_log_logvar"])};

  // Two chunks, so that their sums are tested as well.
  Batch<double> batch;
  const Matrix X = matrix_from(j["X"]);
  Matrix Y = Matrix::Zero(C, B);
  for (Index i = 0; i < B; ++i) Y(j["y"][static_cast<std::size_t>(i)].get<Index>(), i) = 1;
  const Index half = B / 2;
  batch.X = {X.topRows(half), X.bottomRows(B - half)};
  batch.Y = {Y.leftCols(half), Y.rightCols(B - half)};
  batch.N = j["N"];
  q.theta = sample_theta<double>(theta_mean, theta_logvar, matrix_from(j["eps_theta"]).transpose(),
                                 X.cols());
  q.kl_hyper = kl_diagonal(theta_mean, theta_logvar, prior.mean, prior.logvar);
  std::vector<Noise<double>> whole;
  for (std::size_t s = 0; s < static_cast<std::size_t>(S); ++s) {
    whole.emplace_back();
    batch.noise.emplace_back(2);
    for (std::size_t f = 0; f < static_cast<std::size_t>(F); ++f) {
      whole[s].push_back(matrix_from(j["eps_f"][s][f]));
      batch.noise[s][0].push_back(whole[s].back().leftCols(half));
      batch.noise[s][1].push_back(whole[s].back().rightCols(B - half));
    }
  }

  const auto b = bound(tape, frozen, q, groups, Softmax<double>{}, batch, {.beta = j["beta"]});
  tape.backward(b.loss);

  const auto& out = j["out"];
  const double whole_task = static_cast<double>(batch.N) / static_cast<double>(B);
  Matrix probabilities = Matrix::Zero(C, B);
  for (std::size_t s = 0; s < static_cast<std::size_t>(S); ++s) {
    Matrix mean(C, B), var(C, B);
    mean << b.mean[s][0].value(), b.mean[s][1].value();
    var << b.var[s][0].value(), b.var[s][1].value();
    expect_close(mean, matrix_from(out["mean"][s]), 1e-9, "mean");
    expect_close(var, matrix_from(out["var"][s]), 1e-9, "var");
    probabilities += softmax_probabilities(mean, var, whole[s]) / static_cast<double>(S);
  }
  expect_close(b.kl_hyper.value()(0), out["kl_hypers"], 1e-9, "kl_hypers");
  expect_close(b.kl_u.value()(0), out["kl_u"], 1e-9, "kl_u");
  expect_close(-b.ell.value()(0) / whole_task, out["nll"], 1e-9, "nll");
  expect_close(b.loss.value()(0), out["loss"], 1e-9, "loss");
  expect_close(probabilities.transpose(), matrix_from(out["probs"]), 1e-9, "probs");

  const auto& grad = out["grad"];
  expect_close(q.m.grad().transpose(), matrix_from(grad["u_mean"]), 1e-7, "grad u_mean");
  for (std::size_t c = 0; c < static_cast<std::size_t>(C); ++c) {
    expect_close(q.Z[c].grad(), matrix_from(grad["Z"][c]), 1e-7, "grad Z");
    expect_close(trils[c].grad(), vector_from(grad["u_tril_vec"][c]), 1e-7, "grad u_tril_vec");
  }
  expect_close(theta_mean.grad(), vector_from(grad["log_mean"]), 1e-7, "grad log_mean");
  expect_close(theta_logvar.grad(), vector_from(grad["log_logvar"]), 1e-7, "grad log_logvar");
}

std::vector<std::filesystem::path> golden_cases() {
  const char* folder = std::getenv("VARGP_GOLDEN_DIR");
  std::vector<std::filesystem::path> cases;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder ? folder : VARGP_SOURCE_DIR "/tests/golden"))
    if (entry.path().extension() == ".json") cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenTest, testing::ValuesIn(golden_cases()),
                         [](const auto& golden) { return golden.param.stem().string(); });

}  // namespace
}  // namespace vargp
