// The bounds of the variants against their definitions (by sampling), in limits where they must
// equal another model's, and their gradients.
#include "vargp/models/variant.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "vargp/autodiff/gradcheck.h"
#include "vargp/kernels/deep.h"
#include "vargp/kernels/rbf.h"
#include "vargp/likelihoods/gaussian.h"
#include "vargp/likelihoods/softmax.h"
#include "vargp/models/bound.h"
#include "vargp/models/hyper.h"
#include "vargp/posterior/anchor.h"

namespace vargp {
namespace {

using Matrix = Mat<double>;
using Block = InducingBlock<double>;

Matrix random(Index rows, Index cols, std::uint64_t seed) {
  return Random(seed, Purpose::kTest).normals<double>(rows, cols);
}

Matrix lower(Index n, std::uint64_t seed) {
  Matrix L = 0.2 * Matrix(random(n, n, seed).triangularView<Eigen::StrictlyLower>());
  L.diagonal() = 0.3 * random(n, 1, seed + 100).cwiseAbs().array() + 0.3;
  return L;
}

// A block with inducing inputs around `centre` in the first dimension.
Block make_block(Index M, Index D, Index C, std::uint64_t seed, double centre = 0,
                 bool shared = true) {
  Block b;
  for (Index g = 0; g < (shared ? 1 : C); ++g) {
    b.Z.push_back(1.5 * random(M, D, seed + static_cast<std::uint64_t>(g)));
    b.Z.back().col(0).array() += centre;
  }
  b.m = random(M, C, seed + 20);
  for (Index c = 0; c < C; ++c) b.Ls.push_back(lower(M, seed + 30 + static_cast<std::uint64_t>(c)));
  return b;
}

// The bound at a posterior whose last block is `own`, for Gaussian noise.
struct Terms {
  double ell, kl_u;
};
Terms terms(const Variant& variant, const std::vector<Block>& old, const std::vector<Block>& moving,
            const Block& own, const Matrix& theta, const Matrix& X, const Matrix& Y,
            const std::vector<Matrix>& phi = {}) {
  Tape<double> tape;
  TaskVars<double> q;
  static_cast<BlockEntry<double>&>(q) = enter(tape, own);
  for (const Block& b : moving) q.moving.push_back(enter(tape, b));
  for (const Matrix& p : phi) q.phi.push_back(tape.constant(p));
  q.theta = {tape.constant(theta)};
  q.kl_hyper = tape.constant(Matrix::Zero(1, 1));
  q.log_noise = tape.constant(Matrix::Constant(1, 1, std::log(0.3)));
  Batch<double> batch;
  batch.X = {X};
  batch.Y = {Y};
  batch.N = X.rows();
  const Groups groups{own.Z.size() == 1, Y.rows()};
  const auto b = bound(tape, old, q, groups, Gaussian<double>{}, batch, {.variant = variant});
  return {b.ell.value()(0), b.kl_u.value()(0)};
}

Terms terms(ModelKind model, const std::vector<Block>& old, const std::vector<Block>& moving,
            const Block& own, const Matrix& theta, const Matrix& X, const Matrix& Y) {
  return terms(variant_of(model), old, moving, own, theta, X, Y);
}

Matrix rows(const std::vector<Block>& blocks, bool of_m) {
  Index n = 0, row = 0;
  for (const Block& b : blocks) n += b.M();
  Matrix out(n, of_m ? 1 : blocks[0].Z[0].cols());
  for (const Block& b : blocks) {
    out.middleRows(row, b.M()) = of_m ? Matrix(b.m.col(0)) : b.Z[0];
    row += b.M();
  }
  return out;
}

struct Normal {
  Vec<double> mean;
  Matrix cov;

  double log_density(const Vec<double>& x) const {
    const Eigen::LLT<Matrix> llt(cov);
    const Vec<double> d = x - mean;
    return -0.5 * (d.dot(llt.solve(d)) + std::log(2 * M_PI) * static_cast<double>(x.size())) -
           Matrix(llt.matrixL()).diagonal().array().log().sum();
  }
  Vec<double> sample(Random& random) const {
    return mean +
           Matrix(Eigen::LLT<Matrix>(cov).matrixL()) * random.normals<double>(mean.size(), 1);
  }
};

// q(u_<=t) of the first output by its definition, block after block: u_j given u_<j has the mean
// A_j u_<j + m_j, or m_j.
Normal joint(const std::vector<Block>& blocks, const Matrix& theta, Structure structure) {
  const Matrix Z = rows(blocks, false), K = rbf_gram<double>(Z, Z, theta);
  Normal q;
  for (const Block& b : blocks) {
    const Index n = q.mean.size(), M = b.M();
    Matrix A = Matrix::Zero(M, n);
    if (n > 0 && structure == Structure::kAutoRegressive)
      A = K.topLeftCorner(n, n).llt().solve(K.block(0, n, n, M)).transpose();
    Normal next{Vec<double>(n + M), Matrix(n + M, n + M)};
    next.mean << q.mean, A * q.mean + b.m.col(0);
    next.cov << q.cov, q.cov * A.transpose(), A * q.cov,
        b.Ls[0] * b.Ls[0].transpose() + A * q.cov * A.transpose();
    q = std::move(next);
  }
  return q;
}

// p(x | u) for values at Z_x given those at Z.
struct Conditional {
  Matrix A, cov;
  Conditional(const Matrix& Z_x, const Matrix& Z, const Matrix& theta) {
    const Matrix K = rbf_gram<double>(Z, Z, theta), Kxz = rbf_gram<double>(Z_x, Z, theta);
    A = K.llt().solve(Kxz.transpose()).transpose();
    cov = rbf_gram<double>(Z_x, Z_x, theta) - A * Kxz.transpose();
  }
};

struct Mean {  // of a sample, with its standard error
  double sum = 0, squares = 0, count = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++count;
  }
  double value() const { return sum / count; }
  double error() const { return std::sqrt((squares / count - value() * value()) / count); }
};

const Matrix& theta_of_two_inputs() {
  static const Matrix theta = (Matrix(3, 1) << 0.1, -0.1, 0.2).finished();
  return theta;
}

TEST(BlockDiagonal, BoundIsItsDefinition) {
  const Matrix& theta = theta_of_two_inputs();
  const std::vector<Block> old = {make_block(3, 2, 1, 1), make_block(4, 2, 1, 2)};
  const Block own = make_block(3, 2, 1, 3);
  const Matrix X = random(5, 2, 7), Y = random(1, 5, 8);
  const Terms got = terms(ModelKind::kBlockDiagonal, old, {}, own, theta, X, Y);

  // KL: the mean over u_<t ~ q of KL[ q(u_t) || p(u_t | u_<t) ].
  const Normal q_old = joint(old, theta, Structure::kBlockDiagonal);
  const Conditional prior(own.Z[0], rows(old, false), theta);
  const Matrix S = own.Ls[0] * own.Ls[0].transpose(), C_inverse = prior.cov.inverse();
  const double fixed =
      0.5 * ((C_inverse * S).trace() - 3 + std::log(prior.cov.determinant() / S.determinant()));
  Random random_u(1, Purpose::kTest);
  Mean kl;
  for (int i = 0; i < 100000; ++i) {
    const Vec<double> d = own.m.col(0) - prior.A * q_old.sample(random_u);
    kl.add(fixed + 0.5 * d.dot(C_inverse * d));
  }
  EXPECT_NEAR(got.kl_u, kl.value(), 4 * kl.error());

  // The marginals of f: f | u is the prior's conditional, u is q's.
  const std::vector<Block> all = {old[0], old[1], own};
  const Normal q = joint(all, theta, Structure::kBlockDiagonal);
  const Conditional f(X, rows(all, false), theta);
  const Vec<double> mean = f.A * q.mean;
  const Vec<double> var = (f.cov + f.A * q.cov * f.A.transpose()).diagonal();
  double ell = 0;
  for (Index i = 0; i < 5; ++i)
    ell -= 0.5 * (std::log(2 * M_PI * 0.3) + (std::pow(Y(i) - mean(i), 2) + var(i)) / 0.3);
  EXPECT_NEAR(got.ell, ell, 1e-9);
}

TEST(BlockDiagonal, WithTasksFarApartEqualsVarGp) {
  const Matrix& theta = theta_of_two_inputs();
  const std::vector<Block> old = {make_block(3, 2, 2, 1), make_block(4, 2, 2, 2, 100)};
  const Block own = make_block(3, 2, 2, 3, 200);
  Matrix X = random(6, 2, 7), Y = random(2, 6, 8);
  X.col(0) += (Vec<double>(6) << 0, 0, 100, 100, 200, 200).finished();
  const Terms a = terms(ModelKind::kVarGp, old, {}, own, theta, X, Y);
  const Terms b = terms(ModelKind::kBlockDiagonal, old, {}, own, theta, X, Y);
  EXPECT_NEAR(a.kl_u, b.kl_u, 1e-9);
  EXPECT_NEAR(a.ell, b.ell, 1e-9);
  // And not where they are near.
  const Block near = make_block(3, 2, 2, 3, 100);
  EXPECT_GT(std::abs(terms(ModelKind::kVarGp, old, {}, near, theta, X, Y).kl_u -
                     terms(ModelKind::kBlockDiagonal, old, {}, near, theta, X, Y).kl_u),
            0.01);
}

// E_{q(u) p(u~ | u)} log q~(u~) / p(u~), by sampling.
Mean sampled_anchor(const std::vector<Block>& now, const std::vector<Block>& old,
                    const Matrix& theta) {
  const Normal q = joint(now, theta, Structure::kAutoRegressive);
  const Normal q_old = joint(old, theta, Structure::kAutoRegressive);
  const Matrix Z_old = rows(old, false);
  const Normal prior{Vec<double>::Zero(Z_old.rows()), rbf_gram<double>(Z_old, Z_old, theta)};
  const Conditional given(Z_old, rows(now, false), theta);
  Random random(1, Purpose::kTest);
  Mean out;
  for (int i = 0; i < 50000; ++i) {
    const Vec<double> u_old = Normal{given.A * q.sample(random), given.cov}.sample(random);
    out.add(q_old.log_density(u_old) - prior.log_density(u_old));
  }
  return out;
}

// KL[ q(u) || p(u) ] of the first output.
double dense_kl(const std::vector<Block>& blocks, const Matrix& theta) {
  const Normal q = joint(blocks, theta, Structure::kAutoRegressive);
  const Matrix Z = rows(blocks, false), K = rbf_gram<double>(Z, Z, theta);
  return 0.5 * ((K.inverse() * q.cov).trace() + q.mean.dot(K.inverse() * q.mean) -
                static_cast<double>(Z.rows()) + std::log(K.determinant() / q.cov.determinant()));
}

TEST(Global, BoundIsItsDefinition) {
  const Matrix& theta = theta_of_two_inputs();
  const Block old = make_block(4, 2, 1, 1), own = make_block(3, 2, 1, 2);
  const Matrix X = random(5, 2, 7), Y = random(1, 5, 8);
  const Terms got = terms(ModelKind::kGlobal, {old}, {}, own, theta, X, Y);
  const Mean anchor = sampled_anchor({own}, {old}, theta);
  EXPECT_NEAR(got.kl_u, dense_kl({own}, theta) - anchor.value(), 4 * anchor.error());
  // The new block alone explains f.
  EXPECT_NEAR(got.ell, terms(ModelKind::kVarGp, {}, {}, own, theta, X, Y).ell, 1e-9);
}

TEST(Global, WithTheOldInducingInputsTheOldPosteriorIsThePrior) {
  // KL[ q || p ] - anchor = KL[ q || q~ ]: 0 at q = q~, so that the bound of data seen again is
  // that of the expected log-likelihood alone.
  const Matrix& theta = theta_of_two_inputs();
  const Block old = make_block(4, 2, 2, 1);
  const Matrix X = random(5, 2, 7), Y = random(2, 5, 8);
  EXPECT_NEAR(terms(ModelKind::kGlobal, {old}, {}, old, theta, X, Y).kl_u, 0, 1e-8);
  Block own = make_block(4, 2, 2, 5);
  own.Z = old.Z;
  double kl = 0;
  for (Index c = 0; c < 2; ++c) {
    const auto k = static_cast<std::size_t>(c);
    const Matrix S = own.Ls[k] * own.Ls[k].transpose(), S0 = old.Ls[k] * old.Ls[k].transpose();
    const Vec<double> d = own.m.col(c) - old.m.col(c);
    kl += 0.5 * ((S0.inverse() * S).trace() + d.dot(S0.inverse() * d) - 4 +
                 std::log(S0.determinant() / S.determinant()));
  }
  EXPECT_NEAR(terms(ModelKind::kGlobal, {old}, {}, own, theta, X, Y).kl_u, kl, 1e-7);
}

TEST(ReVarGp, BoundIsItsDefinition) {
  const Matrix& theta = theta_of_two_inputs();
  const std::vector<Block> old = {make_block(3, 2, 1, 1), make_block(2, 2, 1, 2)};
  const std::vector<Block> moved = {make_block(3, 2, 1, 4), make_block(2, 2, 1, 5)};
  const Block own = make_block(3, 2, 1, 6);
  const std::vector<Block> all = {moved[0], moved[1], own};
  const Matrix X = random(5, 2, 7), Y = random(1, 5, 8);
  const Terms got = terms(ModelKind::kReVarGp, old, moved, own, theta, X, Y);
  const Mean anchor = sampled_anchor(all, old, theta);
  EXPECT_NEAR(got.kl_u, dense_kl(all, theta) - anchor.value(), 4 * anchor.error());
  EXPECT_NEAR(got.ell, terms(ModelKind::kVarGp, moved, {}, own, theta, X, Y).ell, 1e-9);
}

TEST(ReVarGp, WithOldBlocksThatHaveNotMovedEqualsVarGp) {
  const Matrix& theta = theta_of_two_inputs();
  for (const bool shared : {true, false}) {
    // The first block does not know the second output.
    const std::vector<Block> old = {make_block(3, 2, 1, 1, 0, shared),
                                    make_block(4, 2, 2, 3, 0, shared)};
    const Block own = make_block(3, 2, 2, 6, 0, shared);
    const Matrix X = random(5, 2, 7), Y = random(2, 5, 8);
    const Terms a = terms(ModelKind::kVarGp, old, {}, own, theta, X, Y);
    const Terms b = terms(ModelKind::kReVarGp, old, old, own, theta, X, Y);
    EXPECT_NEAR(a.kl_u, b.kl_u, 1e-6);
    EXPECT_NEAR(a.ell, b.ell, 1e-9);
  }
}

TEST(DeepKernel, WithAnIdentityForANetworkEqualsVarGp) {
  const Matrix& theta = theta_of_two_inputs();
  const std::vector<Block> old = {make_block(3, 2, 2, 1)};
  const Block own = make_block(4, 2, 2, 2);
  const Matrix X = random(5, 2, 7), Y = random(2, 5, 8);
  const Terms a = terms(ModelKind::kVarGp, old, {}, own, theta, X, Y);
  const Terms b = terms(variant_of(ModelKind::kDeepKernel), old, {}, own, theta, X, Y,
                        {Matrix::Identity(2, 3)});
  EXPECT_NEAR(a.kl_u, b.kl_u, 1e-12);
  EXPECT_NEAR(a.ell, b.ell, 1e-12);
}

TEST(DeepKernel, AppliesReluBetweenLayers) {
  const std::vector<Matrix> phi = {(Matrix(2, 2) << 1, 0, -1, 0.5).finished(),
                                   (Matrix(1, 3) << 1, 1, 3).finished()};
  const Matrix X = (Matrix(2, 1) << 2, -2).finished();
  const Matrix g = features(phi, X);  // relu(x) + relu(0.5 - x) + 3
  EXPECT_DOUBLE_EQ(g(0), 5);
  EXPECT_DOUBLE_EQ(g(1), 5.5);
}

struct Case {
  ModelKind model;
  bool shared;
  const char* name;
};
class VariantGradients : public testing::TestWithParam<Case> {};

TEST_P(VariantGradients, AgreeWithFiniteDifferences) {
  const auto [model, shared, name] = GetParam();
  const Variant variant = variant_of(model);
  const Index M = 3, D = 2, C = 2, features = variant.deep ? 3 : D;
  std::vector<Block> old = {make_block(3, D, C, 1, 0, shared)};
  if (variant.old != OldBlocks::kReplaced) old.push_back(make_block(2, D, C, 5, 0, shared));
  const Groups groups{shared, C};
  Batch<double> batch;
  batch.X = {random(3, D, 2), random(2, D, 3)};
  batch.Y = {Matrix::Zero(C, 3), Matrix::Zero(C, 2)};
  batch.Y[0].row(0).setOnes();
  batch.Y[1].row(1).setOnes();
  batch.N = 20;
  const Matrix eps = random(features + 1, 2, 4);
  for (std::uint64_t s = 0; s < 2; ++s)
    batch.noise.push_back({{random(C, 3, 60 + s)}, {random(C, 2, 70 + s)}});
  const Matrix prior_mean = random(features + 1, 1, 5), prior_logvar = random(features + 1, 1, 6);
  const std::vector<Matrix> old_features = {random(3, features, 10), random(2, features, 11)};

  // theta, then the blocks that move, each with m, Ls and Z; then phi.
  std::vector<Matrix> at = {0.3 * random(features + 1, 1, 7), 0.3 * random(features + 1, 1, 8)};
  std::vector<Index> sizes;
  if (variant.old == OldBlocks::kMoving) sizes = {3, 2};
  sizes.push_back(M);
  std::uint64_t seed = 40;
  for (const Index rows_of_block : sizes) {
    at.push_back(random(rows_of_block, C, ++seed));
    for (Index c = 0; c < C; ++c)
      at.push_back(random(rows_of_block * (rows_of_block + 1) / 2, 1, ++seed));
    for (Index g = 0; g < groups.count(); ++g) at.push_back(random(rows_of_block, D, ++seed));
  }
  if (variant.deep)
    for (const Matrix& p : start_network<double>(D, {4, features}, Random(1, Purpose::kTest)))
      at.push_back(p + 0.1 * random(p.rows(), p.cols(), ++seed));

  expect_gradients(
      at,
      [&](Tape<double>& tape, const std::vector<Var<double>>& v) {
        TaskVars<double> q;
        q.theta = sample_theta(v[0], v[1], eps, features);
        q.kl_hyper = kl_diagonal(v[0], v[1], prior_mean, prior_logvar);
        q.log_noise = tape.constant(Matrix::Zero(1, 1));
        std::size_t k = 2;
        for (const Index rows_of_block : sizes) {
          BlockEntry<double> block;
          block.m = v[k++];
          for (Index c = 0; c < C; ++c)
            block.Ls.push_back(lower_from_vector(v[k++], rows_of_block));
          for (Index g = 0; g < groups.count(); ++g) block.Z.push_back(v[k++]);
          q.moving.push_back(block);
        }
        static_cast<BlockEntry<double>&>(q) = q.moving.back();
        q.moving.pop_back();
        q.phi.assign(v.begin() + static_cast<std::ptrdiff_t>(k), v.end());
        if (variant.deep) q.old_features = old_features;
        return bound(tape, old, q, groups, Softmax<double>{}, batch,
                     {.variant = variant, .beta = 1.7, .jitter = 1e-8, .phi_penalty = 0.7})
            .loss;
      },
      2e-5);
}

INSTANTIATE_TEST_SUITE_P(
    Models, VariantGradients,
    testing::Values(Case{ModelKind::kBlockDiagonal, true, "BlockDiagonalShared"},
                    Case{ModelKind::kBlockDiagonal, false, "BlockDiagonalPerClass"},
                    Case{ModelKind::kGlobal, true, "GlobalShared"},
                    Case{ModelKind::kGlobal, false, "GlobalPerClass"},
                    Case{ModelKind::kReVarGp, true, "ReVarGpShared"},
                    Case{ModelKind::kReVarGp, false, "ReVarGpPerClass"},
                    Case{ModelKind::kDeepKernel, true, "DeepKernel"}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace vargp
