// What holds a posterior q(u) with inducing inputs that are free to move to the posterior q~(u~) of
// the task before, for one theta and one group of outputs:
//
//   anchor = E_{q(u) p(u~ | u)} [ log q~(u~) / p(u~) ]
//
// Both are auto-regressive chains. With whitened w = L^-1 u and w~ = L~^-1 u~, the conditional
// prior is w~ = E' w + e, Cov[e] = I - E'E, where
//
//   E  = L^-1 K(Z, Z~) L~^-T                                                        [n, n~]
//   mu = E' alpha,   T = I - E'E + E' V V' E        mean and covariance of w~, V = blockdiag(R_i)
//
// and with U_j = R~_j^-1 = Ls~_j^-1 L~_jj, a_j = Ls~_j^-1 m~_j, summed over the old blocks j:
//
//   anchor = 1/2 ( |mu_j|^2 + tr T_jj ) - 1/2 ( |U_j mu_j - a_j|^2 + tr U_j T_jj U_j' )
//            + sum log diag L~_jj - sum log diag Ls~_j
//
// Each trace is that of the prior less what q has explained of it:
//   tr U T_jj U' = |U|_F^2 - sum_i ( |F_i|_F^2 - |R_i' F_i|_F^2 ),   F = E_j U'  [n, M_j], in the
// blocks i of q; tr T_jj is the same with U = I. The proof: docs/derivations/global.md.
#pragma once

#include <vector>

#include "vargp/posterior/chain.h"

namespace vargp {

// For natural gradients: as a function of w = L^-1 u of one output, the anchor's expectation is
// taken of -1/2 w' Q w + w' r (and a constant), Q = F F' - E E', r = F a.
template <class S>
struct AnchorShape {
  Mat<S> Q;  // [n, n]
  Mat<S> r;  // [n, 1]
};

// `old` are the factors of the blocks `old_blocks`. Outputs that an old block does not know were at
// their prior there and add nothing. shapes, where given, gets those of all outputs.
template <class S>
Var<S> anchor(const ChainFactors<S>& q, const ChainFactors<S>& old,
              const std::vector<BlockVars<S>>& old_blocks,
              std::vector<AnchorShape<S>>* shapes = nullptr) {
  VARGP_CHECK(q.structure == Structure::kAutoRegressive);
  Tape<S>& tape = q.L.tape();
  const Index n = q.L.rows();
  if (shapes)
    shapes->assign(static_cast<std::size_t>(q.outputs), {Mat<S>::Zero(n, n), Mat<S>::Zero(n, 1)});
  // What q has explained of the prior variance of the functionals w -> F' w, for output c.
  const auto explained = [&](const Var<S>& F, Index c) {
    std::vector<Var<S>> terms = {tape.constant(Mat<S>::Zero(1, 1))};
    for (const auto& part : q.parts)
      if (c < part.alpha.cols())
        terms.push_back(
            sum(explained_variance(block(part.G, 0, c * part.M, part.M, part.M), F, part.row)));
    return sum(terms);
  };
  const auto mean = [&](const Var<S>& F, Index c) {  // F' alpha
    std::vector<Var<S>> terms = {tape.constant(Mat<S>::Zero(F.cols(), 1))};
    for (const auto& part : q.parts)
      if (c < part.alpha.cols())
        terms.push_back(
            transpose(matmul_transposed(block(part.alpha, 0, c, part.M, 1), F, part.row)));
    return sum(terms);
  };

  const Var<S> Et = solve_lower(old.L, transpose(whitened(q, old.Z)));  // E'
  std::vector<Var<S>> terms = {tape.constant(Mat<S>::Zero(1, 1))};
  for (std::size_t j = 0; j < old.parts.size(); ++j) {
    const auto& part = old.parts[j];
    const Var<S> Et_j = block(Et, part.row, 0, part.M, n), E_j = transpose(Et_j);
    for (std::size_t c = 0; c < old_blocks[j].Ls.size(); ++c) {
      const Index output = static_cast<Index>(c);
      const Var<S>& Ls = old_blocks[j].Ls[c];
      const Var<S> U = solve_lower(Ls, part.L_tt);
      const Var<S> a = solve_lower(Ls, block(old_blocks[j].m, 0, output, part.M, 1));
      const Var<S> F = transpose(matmul(U, Et_j));
      const Var<S> under_prior =
          subtract(sum_of_squares(mean(E_j, output)), explained(E_j, output));
      const Var<S> under_old = sum<S>({sum_of_squares(subtract(mean(F, output), a)),
                                       sum_of_squares(U), scale(explained(F, output), S(-1))});
      terms.push_back(scale(subtract(under_prior, under_old), S(0.5)));
      terms.push_back(tape.constant(Mat<S>::Constant(1, 1, S(0.5) * static_cast<S>(part.M))));
      terms.push_back(subtract(log_diagonal_sum(part.L_tt), log_diagonal_sum(Ls)));
      if (!shapes) continue;
      AnchorShape<S>& shape = (*shapes)[c];
      shape.Q.noalias() += F.value() * F.value().transpose();
      shape.Q.noalias() -= E_j.value() * Et_j.value();
      shape.r.noalias() += F.value() * a.value();
    }
  }
  return sum(terms);
}

}  // namespace vargp
