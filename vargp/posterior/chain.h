// The posterior of u_<=t as a chain of blocks by task, for one theta and one group of outputs. With
// K = L L' over all inducing inputs Z_<=t, and W(x) = L^-1 K(Z_<=t, x), in blocks by task:
//
//   auto-regressive, q(u_j | u_<j) = N(A_j u_<j + m_j, S_j):
//     alpha_j = L_jj^-1 m_j            R_j = L_jj^-1 Ls_j
//     mean(x) = sum_j W_j(x)' alpha_j
//     var(x)  = k(x,x) - sum_j W_j(x)' G_j W_j(x)      G_j = I - R_j R_j'
//     KL_t    = 1/2 ( |R_t|_F^2 + |alpha_t|^2 - M_t ) + sum log diag L_tt - sum log diag Ls_t
//
//   block-diagonal, q(u_j | u_<j) = N(m_j, S_j), with P(x) = L^-T W(x) and H = L^-T [0; I]:
//     alpha   = L^-1 m, whole
//     mean(x) = sum_j W_j(x)' alpha_j
//     var(x)  = k(x,x) - |W(x)|^2 + sum_j |Ls_j' P_j(x)|^2
//     KL_t    = 1/2 ( sum_j |Ls_j' H_j|_F^2 + |alpha_t|^2 - M_t ) + the same logs
//
// Both are exact, and KL_t is E_{q(u_<t)} KL[ q(u_t | u_<t) || p(u_t | u_<t) ]:
// docs/derivations/orthogonal-form.md and block-diagonal.md have the proofs.
//
// An output that an auto-regressive block does not know (its class came later) is at its prior
// there: R_j = I, alpha_j = 0, and the block's terms vanish. Block-diagonal ones know all outputs.
#pragma once

#include <string>
#include <vector>

#include "vargp/autodiff/ops.h"
#include "vargp/kernels/rbf.h"
#include "vargp/posterior/block.h"

namespace vargp {

enum class Structure { kAutoRegressive, kBlockDiagonal };

// A block's share in one group, as entries of a tape.
template <class S>
struct BlockVars {
  Var<S> Z;                // [M, D]
  Var<S> m;                // [M, c], c the outputs of the group that the block knows
  std::vector<Var<S>> Ls;  // c times [M, M]
};

template <class S>
struct ChainFactors {
  struct Part {
    Index row = 0, M = 0;  // where the block stands in L and W
    Var<S> L_tt;           // [M, M]
    Var<S> alpha;          // [M, c]
    Var<S> R;              // [M, c M], those of the outputs side by side; Ls_j where block-diagonal
    Var<S> G;              // [M, c M], I - R_j R_j' likewise; none where block-diagonal
  };
  Structure structure = Structure::kAutoRegressive;
  Var<S> Z;         // [n, D]
  Index fixed = 0;  // its first rows, which do not move
  Var<S> theta;     // [D + 1, 1]
  Var<S> L;         // [n, n]
  std::vector<Part> parts;
  Index outputs = 0;  // of the group
};

template <class S>
struct Moments {
  Var<S> mean, var;  // [outputs, b]
};

// Blocks oldest first; `what` names the matrix K in the error when it cannot be factorised.
template <class S>
ChainFactors<S> factorise(const std::vector<BlockVars<S>>& blocks, Index outputs,
                          const Var<S>& theta, double jitter, const std::string& what,
                          Structure structure = Structure::kAutoRegressive) {
  VARGP_CHECK(!blocks.empty());
  ChainFactors<S> q;
  q.structure = structure;
  q.theta = theta;
  q.outputs = outputs;
  std::vector<Var<S>> Z;
  for (const BlockVars<S>& b : blocks) Z.push_back(b.Z);
  q.Z = vstack(Z);
  for (const Var<S>& Z_j : Z) {
    if (Z_j.wants_grad()) break;
    q.fixed += Z_j.rows();
  }
  q.L = cholesky(rbf_gram(q.Z, theta, q.fixed), jitter, what);
  const bool apart = structure == Structure::kBlockDiagonal;
  Var<S> alpha;
  if (apart) {
    std::vector<Var<S>> m;
    for (const BlockVars<S>& b : blocks) {
      VARGP_CHECK(b.m.cols() == outputs);
      m.push_back(b.m);
    }
    alpha = solve_lower(q.L, vstack(m));  // L^-1 m
  }
  Index row = 0;
  for (const BlockVars<S>& b : blocks) {
    typename ChainFactors<S>::Part part;
    part.row = row;
    part.M = b.Z.rows();
    part.L_tt = block(q.L, row, row, part.M, part.M);
    if (apart) {
      part.alpha = block(alpha, row, 0, part.M, outputs);
      part.R = hstack(b.Ls);
    } else {
      std::vector<Var<S>> sides = b.Ls;
      sides.push_back(b.m);
      const Var<S> solved = solve_lower(part.L_tt, hstack(sides));  // L_jj^-1 [ Ls_j, m_j ]
      const Index c = b.m.cols();
      part.R = block(solved, 0, 0, part.M, c * part.M);
      part.alpha = block(solved, 0, c * part.M, part.M, c);
      part.G = explained_covariance(part.R);
    }
    row += part.M;
    q.parts.push_back(std::move(part));
  }
  return q;
}

// The same factors, as entries of the tape of a part of the work; see Tape::parallel.
template <class S>
ChainFactors<S> import(Tape<S>& part, ChainFactors<S> q) {
  q.Z = part.import(q.Z);
  q.theta = part.import(q.theta);
  q.L = part.import(q.L);
  for (auto& p : q.parts) {
    p.L_tt = part.import(p.L_tt);
    p.alpha = part.import(p.alpha);
    p.R = part.import(p.R);
    if (p.G.valid()) p.G = part.import(p.G);
  }
  return q;
}

// W(X) = L^-1 K(Z, X), [n, b], of what the kernel takes as X.
template <class S, class Inputs>
Var<S> whitened(const ChainFactors<S>& q, const Inputs& X) {
  return solve_lower(q.L, rbf_gram(q.Z, X, q.theta, q.fixed));
}

template <class S>
Moments<S> moments(const ChainFactors<S>& q, const Var<S>& W) {
  Tape<S>& tape = W.tape();
  // Rows of zeros for the outputs that block j does not know.
  const auto padded = [&](const Var<S>& term) {
    const Index missing = q.outputs - term.rows();
    if (missing == 0) return term;
    return vstack<S>({term, tape.constant(Mat<S>::Zero(missing, W.cols()))});
  };
  const Var<S> ones = tape.constant(Mat<S>::Ones(q.outputs, W.cols()));
  const bool apart = q.structure == Structure::kBlockDiagonal;
  Var<S> mean, var = scale_by(ones, rbf_variance(q.theta)), P;  // k(x, x)
  if (apart) {
    P = solve_lower_transposed(q.L, W);
    var = subtract(var, column_squares(W, 0, W.rows(), q.outputs));
  }
  for (const auto& part : q.parts) {
    const Var<S> term = padded(matmul_transposed(part.alpha, W, part.row));
    mean = mean.valid() ? add(mean, term) : term;
    var = apart ? add(var, projected_squares(part.R, P, part.row))
                : subtract(var, padded(explained_variance(part.G, W, part.row)));
  }
  return {mean, var};
}

// |V_t|_F^2, of the rows of block t in V, where V V' is the covariance of L^-1 u under q: summed
// over the outputs of the group.
template <class S>
Var<S> squared_rows(const ChainFactors<S>& q, std::size_t t) {
  const auto& part = q.parts[t];
  if (q.structure == Structure::kAutoRegressive) return sum_of_squares(part.R);
  Mat<S> unit = Mat<S>::Zero(q.L.rows(), part.M);
  unit.middleRows(part.row, part.M).setIdentity();
  const Var<S> H = solve_lower_transposed(q.L, q.L.tape().constant(std::move(unit)));
  std::vector<Var<S>> squares;
  for (std::size_t j = 0; j <= t; ++j)
    squares.push_back(sum(projected_squares(q.parts[j].R, H, q.parts[j].row)));
  return sum(squares);
}

// KL_t of one block with the factors Ls, summed over the outputs of the group.
template <class S>
Var<S> kl_of_block(const ChainFactors<S>& q, std::size_t t, const std::vector<Var<S>>& Ls) {
  const auto& part = q.parts[t];
  std::vector<Var<S>> logs;
  for (const Var<S>& factor : Ls)
    logs.push_back(subtract(log_diagonal_sum(part.L_tt), log_diagonal_sum(factor)));
  const Var<S> squares = add(squared_rows(q, t), sum_of_squares(part.alpha));
  const Var<S> constant =
      part.alpha.tape().constant(Mat<S>::Constant(1, 1, S(-0.5) * static_cast<S>(part.R.cols())));
  return sum<S>({scale(squares, S(0.5)), sum(logs), constant});
}

}  // namespace vargp
