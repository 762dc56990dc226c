// Where the approximations must be exact: Gaussian noise, fixed theta, every point an inducing
// input. Each statement is tried on 20 random problems against a dense solve.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "vargp/core/exceptions.h"
#include "vargp/core/random.h"
#include "vargp/kernels/rbf.h"
#include "vargp/likelihoods/gaussian.h"
#include "vargp/models/bound.h"
#include "vargp/train/coupled.h"
#include "vargp/train/var_gp.h"

namespace vargp {
namespace {

using Matrix = Mat<double>;

struct Problem {
  double lengthscale, scale, s2;
  Matrix theta;  // [D + 1, 1]
  std::vector<TaskData<double>> tasks;
  RowMat<double> X_test;

  RowMat<double> all_X() const {
    Index N = 0;
    for (const auto& t : tasks) N += t.X.rows();
    RowMat<double> X(N, X_test.cols());
    Index row = 0;
    for (const auto& t : tasks) {
      X.middleRows(row, t.X.rows()) = t.X;
      row += t.X.rows();
    }
    return X;
  }
  Matrix all_Y() const {
    Index N = 0;
    for (const auto& t : tasks) N += t.X.rows();
    Matrix Y(tasks[0].Y.rows(), N);
    Index col = 0;
    for (const auto& t : tasks) {
      Y.middleCols(col, t.Y.cols()) = t.Y;
      col += t.Y.cols();
    }
    return Y;
  }
  Options options() const {
    Options o;
    o.likelihood = LikelihoodKind::kGaussian;
    o.inducing = 1000;  // every point
    o.hyper = HyperTreatment::kFixed;
    o.lengthscale = lengthscale;
    o.scale = scale;
    o.noise = s2;
    o.learn_noise = false;
    o.jitter = 1e-12;
    o.batch = 1000;
    o.epochs = 2;  // one natural step, then the bound at its result
    o.natural_decay = 0;
    return o;
  }
};

// distance: between the centres of one task and the next.
Problem problem(std::uint64_t seed, Index tasks, double distance) {
  Random random(seed, Purpose::kTest);
  Problem p;
  const Index D = 2 + random.below(2), C = 1 + random.below(3);
  p.lengthscale = 0.5 + random.uniform();
  p.scale = 0.5 + random.uniform();
  p.s2 = 0.01 + 0.2 * random.uniform();
  p.theta = Matrix::Constant(D + 1, 1, std::log(p.lengthscale));
  p.theta(D) = std::log(p.scale);
  for (Index t = 0; t < tasks; ++t) {
    TaskData<double> task;
    const Index N = 3 + random.below(8);
    task.X = 3 * random.normals<double>(N, D);
    task.X.col(0).array() += distance * static_cast<double>(t);
    task.Y = random.normals<double>(C, N);
    p.tasks.push_back(std::move(task));
  }
  p.X_test = 3 * random.normals<double>(20, D);
  for (Index i = 0; i < 20; ++i) p.X_test(i, 0) += distance * static_cast<double>(i % tasks);
  return p;
}

struct Dense {
  Matrix mean;      // [C, N]
  Vec<double> var;  // [N]
  double log_marginal;
};

Dense dense(const Problem& p) {
  const Matrix X = p.all_X(), Xs = p.X_test, Y = p.all_Y();
  Matrix A = rbf_gram<double>(X, X, p.theta);
  A.diagonal().array() += p.s2;
  const Matrix Ks = rbf_gram<double>(X, Xs, p.theta);
  const Eigen::LLT<Matrix> llt(A);
  const Matrix solved = llt.solve(Ks);
  Dense out;
  out.mean = Y * solved;
  out.var = p.scale * p.scale - (Ks.array() * solved.array()).colwise().sum().transpose();
  const double logdet = 2 * llt.matrixLLT().diagonal().array().log().sum();
  const auto N = static_cast<double>(X.rows()), C = static_cast<double>(Y.rows());
  out.log_marginal = -0.5 * (Y.cwiseProduct(llt.solve(Y.transpose()).transpose()).sum() +
                             C * logdet + C * N * std::log(2 * std::numbers::pi));
  return out;
}

void expect_equal(const Latent<double>& f, const Dense& exact) {
  EXPECT_LT((f.mean - exact.mean).cwiseAbs().maxCoeff(), 1e-6);
  for (Index c = 0; c < f.var.rows(); ++c)
    EXPECT_LT((f.var.row(c).transpose() - exact.var).cwiseAbs().maxCoeff(), 1e-6);
}

class Exactness : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Exactness, OneNaturalStepGivesTheExactPosteriorAndMarginalLikelihood) {
  const Problem p = problem(GetParam(), 1, 0);
  VarGp<double> model(p.options(), false);
  const LearnReport report = model.learn(p.tasks[0], {});
  const Dense exact = dense(p);
  expect_equal(model.predict(p.X_test, true), exact);
  EXPECT_NEAR(report.bound, exact.log_marginal, 1e-6 * std::abs(exact.log_marginal));
}

TEST_P(Exactness, FourTasksFarApartGiveTheExactPosteriorOnTheirUnion) {
  const Problem p = problem(GetParam(), 4, 100);
  VarGp<double> model(p.options(), false);
  double bound = 0;
  for (const auto& task : p.tasks) bound += model.learn(task, {}).bound;
  const Dense exact = dense(p);
  expect_equal(model.predict(p.X_test, true), exact);
  EXPECT_NEAR(bound, exact.log_marginal, 1e-6 * std::abs(exact.log_marginal));
}

TEST_P(Exactness, FourOverlappingTasksCoupledGiveTheExactPosteriorOnTheirUnion) {
  Problem p = problem(GetParam(), 4, 0);
  const auto order = Random(GetParam(), Purpose::kPermutation).permutation(4);
  std::vector<TaskData<double>> shuffled;
  for (const Index t : order) shuffled.push_back(p.tasks[static_cast<std::size_t>(t)]);
  p.tasks = std::move(shuffled);
  Coupled<double> model(p.options(), false);
  double bound = 0;
  for (const auto& task : p.tasks) bound += model.learn(task, {}).bound;
  const Dense exact = dense(p);
  expect_equal(model.predict(p.X_test, true), exact);
  EXPECT_NEAR(bound, exact.log_marginal, 1e-6 * std::abs(exact.log_marginal));
}

TEST_P(Exactness, FourTasksFarApartBlockDiagonalGiveTheExactPosteriorOnTheirUnion) {
  const Problem p = problem(GetParam(), 4, 100);
  Options o = p.options();
  o.model = ModelKind::kBlockDiagonal;
  VarGp<double> model(o, false);
  double bound = 0;
  for (const auto& task : p.tasks) bound += model.learn(task, {}).bound;
  const Dense exact = dense(p);
  expect_equal(model.predict(p.X_test, true), exact);
  EXPECT_NEAR(bound, exact.log_marginal, 1e-6 * std::abs(exact.log_marginal));
}

TEST_P(Exactness, OneNaturalStepIsTheBestThatABlockDiagonalPosteriorCanDo) {
  // No small change of m_t or Ls_t of an overlapping task makes the bound larger.
  const Problem p = problem(GetParam(), 2, 0);
  Options o = p.options();
  o.model = ModelKind::kBlockDiagonal;
  VarGp<double> model(o, false);
  model.learn(p.tasks[0], {});
  const auto old = model.blocks();
  model.learn(p.tasks[1], {});
  const auto best = model.blocks().back();
  Tape<double> tape;
  TaskVars<double> q;
  static_cast<BlockEntry<double>&>(q) = enter(tape, best);
  q.m = tape.variable(best.m);
  for (std::size_t c = 0; c < best.Ls.size(); ++c) q.Ls[c] = tape.variable(best.Ls[c]);
  q.theta = {tape.constant(p.theta)};
  q.kl_hyper = tape.constant(Matrix::Zero(1, 1));
  q.log_noise = tape.constant(Matrix::Constant(1, 1, std::log(p.s2)));
  Batch<double> batch;
  batch.X = {Matrix(p.tasks[1].X)};
  batch.Y = {p.tasks[1].Y};
  batch.N = p.tasks[1].X.rows();
  const auto b = bound(tape, old, q, Groups{true, p.tasks[1].Y.rows()}, Gaussian<double>{}, batch,
                       {.variant = variant_of(o.model), .jitter = o.jitter});
  tape.backward(b.loss);
  const double scale = 1 / p.s2;
  EXPECT_LT(q.m.grad().cwiseAbs().maxCoeff(), 1e-6 * scale);
  for (const auto& Ls : q.Ls)
    EXPECT_LT(Matrix(Ls.grad().triangularView<Eigen::Lower>()).cwiseAbs().maxCoeff(), 1e-5 * scale);
}

TEST_P(Exactness, OverlappingTasksWithGlobalPointsGiveTheExactPosteriorOnTheirUnion) {
  const Problem p = problem(GetParam(), 3, 0);
  Options o = p.options();
  o.model = ModelKind::kGlobal;
  VarGp<double> model(o, false);
  double bound = 0;
  for (const auto& task : p.tasks) bound += model.learn(task, {}).bound;
  ASSERT_EQ(model.blocks().size(), 1U);
  const Dense exact = dense(p);
  expect_equal(model.predict(p.X_test, true), exact);
  EXPECT_NEAR(bound, exact.log_marginal, 1e-6 * std::abs(exact.log_marginal));
}

TEST_P(Exactness, OverlappingTasksAutoRegressiveGiveTheirClosedForm) {
  // S_t = (C_t^-1 + I / s2)^-1,  m_t = S_t (y_t - A_t E[u_<t]) / s2
  const Problem p = problem(GetParam(), 3, 0);
  VarGp<double> model(p.options(), false);
  for (const auto& task : p.tasks) model.learn(task, {});
  Matrix Z(0, p.X_test.cols()), u(0, p.tasks[0].Y.rows());  // old inputs, E[u_<t] [n, C]
  for (std::size_t t = 0; t < p.tasks.size(); ++t) {
    const auto& block = model.blocks()[t];
    const Matrix Zt = block.Z[0];
    const Index M = Zt.rows();
    // The rows of the task, in the order of the inducing inputs.
    Matrix Y(p.tasks[t].Y.rows(), M);
    for (Index i = 0; i < M; ++i)
      for (Index j = 0; j < M; ++j)
        if (p.tasks[t].X.row(j) == Zt.row(i)) Y.col(i) = p.tasks[t].Y.col(j);
    Matrix A = Matrix::Zero(M, Z.rows()), C = rbf_gram<double>(Zt, Zt, p.theta);
    if (Z.rows() > 0) {
      const Matrix Koo = rbf_gram<double>(Z, Z, p.theta), Kto = rbf_gram<double>(Zt, Z, p.theta);
      A = Koo.llt().solve(Kto.transpose()).transpose();
      C -= A * Kto.transpose();
    }
    const Matrix S = (C.inverse() + Matrix::Identity(M, M) / p.s2).inverse();
    const Matrix prior = A * u;
    for (Index c = 0; c < Y.rows(); ++c) {
      const Vec<double> m = S * (Y.row(c).transpose() - prior.col(c)) / p.s2;
      const Matrix& Ls = block.Ls[static_cast<std::size_t>(c)];
      EXPECT_LT((block.m.col(c) - m).cwiseAbs().maxCoeff(), 1e-6);
      EXPECT_LT((Ls * Ls.transpose() - S).cwiseAbs().maxCoeff(), 1e-6);
    }
    Matrix Zn(Z.rows() + M, Z.cols()), un(Z.rows() + M, u.cols());
    Zn << Z, Zt;
    un << u, prior + block.m;
    Z = Zn;
    u = un;
  }
}

TEST(VarGp, SaysAtWhichTaskAndStepWhichMatrixCouldNotBeFactorised) {
  Problem p = problem(1, 2, 0);
  p.tasks[1].X = p.tasks[0].X;  // the same inducing inputs again, and no jitter to tell them apart
  p.tasks[1].Y = p.tasks[0].Y;
  Options o = p.options();
  o.jitter = 0;
  VarGp<double> model(o, false);
  model.learn(p.tasks[0], {});
  try {
    model.learn(p.tasks[1], {});
    FAIL();
  } catch (const NumericalError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "task 2, step 1: the kernel matrix of the inducing inputs ("))
        << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, Exactness, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace vargp
