// The auto-regressive posterior, for one theta and one group of outputs. With K = L L' over all
// inducing inputs Z_<=t, in blocks by task, and W(x) = L^-1 K(Z_<=t, x):
//
//   alpha_j = L_jj^-1 m_j            R_j = L_jj^-1 Ls_j
//   mean(x) = sum_j W_j(x)' alpha_j
//   var(x)  = k(x,x) - sum_j ( |W_j(x)|^2 - |R_j' W_j(x)|^2 )
//   KL_t    = 1/2 ( |R_t|_F^2 + |alpha_t|^2 - M_t ) + sum log diag L_tt - sum log diag Ls_t
//
// This is exact: u_t = A_t u_<t + v_t makes the v_t independent, N(m_t, S_t) under q and
// N(0, L_tt L_tt') under the prior. docs/derivations/orthogonal-form.md has the proof.
//
// An output that a block does not know (its class came later) is at its prior there: R_j = I,
// alpha_j = 0, and the block's terms vanish.
#pragma once

#include <string>
#include <vector>

#include "vargp/autodiff/ops.h"
#include "vargp/kernels/rbf.h"
#include "vargp/posterior/block.h"

namespace vargp {

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
    Var<S> R;              // [M, c M], those of the outputs side by side
  };
  Var<S> Z;      // [n, D], all but the last block's frozen
  Var<S> theta;  // [D + 1, 1]
  Var<S> L;      // [n, n]
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
                          const Var<S>& theta, double jitter, const std::string& what) {
  VARGP_CHECK(!blocks.empty());
  ChainFactors<S> q;
  q.theta = theta;
  q.outputs = outputs;
  std::vector<Var<S>> Z;
  for (const BlockVars<S>& b : blocks) Z.push_back(b.Z);
  q.Z = vstack(Z);
  q.L = cholesky(rbf_gram(q.Z, theta), jitter, what);
  Index row = 0;
  for (const BlockVars<S>& b : blocks) {
    typename ChainFactors<S>::Part part;
    part.row = row;
    part.M = b.Z.rows();
    part.L_tt = block(q.L, row, row, part.M, part.M);
    part.alpha = solve_lower(part.L_tt, b.m);       // L_jj^-1 m_j
    part.R = solve_lower(part.L_tt, hstack(b.Ls));  // L_jj^-1 Ls_j
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
  }
  return q;
}

// W(X) = L^-1 K(Z, X), [n, b].
template <class S>
Var<S> whitened(const ChainFactors<S>& q, const Var<S>& X) {
  return solve_lower(q.L, rbf_gram(q.Z, X, q.theta, q.parts.back().row));
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
  Var<S> mean, var = scale_by(ones, rbf_variance(q.theta));  // k(x, x)
  for (const auto& part : q.parts) {
    const Var<S> W_j = block(W, part.row, 0, part.M, W.cols());
    const Var<S> term = padded(matmul_transposed(part.alpha, W_j));
    mean = mean.valid() ? add(mean, term) : term;
    var = subtract(var, padded(explained_variance(part.R, W, part.row)));
  }
  return {mean, var};
}

// KL_t of the last block, summed over the outputs of the group.
template <class S>
Var<S> kl_of_last(const ChainFactors<S>& q, const std::vector<Var<S>>& Ls) {
  const auto& part = q.parts.back();
  std::vector<Var<S>> logs;
  for (const Var<S>& factor : Ls)
    logs.push_back(subtract(log_diagonal_sum(part.L_tt), log_diagonal_sum(factor)));
  const Var<S> squares = add(sum_of_squares(part.R), sum_of_squares(part.alpha));
  const Var<S> constant =
      part.alpha.tape().constant(Mat<S>::Constant(1, 1, S(-0.5) * static_cast<S>(part.R.cols())));
  return sum<S>({scale(squares, S(0.5)), sum(logs), constant});
}

}  // namespace vargp
