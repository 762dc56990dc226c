// What is kept of one task: its inducing inputs and q(v_t) = N(m_t, S_t), S_t = Ls_t Ls_t', where
// u_t = A_t u_<t + v_t. After its task a block is frozen.
#pragma once

#include <vector>

#include "vargp/core/types.h"

namespace vargp {

template <class S>
struct InducingBlock {
  std::vector<Mat<S>> Z;   // [M, D]: one shared by all outputs, or one for each
  Mat<S> m;                // [M, C]
  std::vector<Mat<S>> Ls;  // C lower-triangular factors [M, M]

  template <class Archive>
  void fields(Archive& a) {
    a("Z", Z);
    a("m", m);
    a("Ls", Ls);
    a.expect(M() > 0 && C() > 0, "m [M, C]");
    a.expect(std::ssize(Z) == 1 || std::ssize(Z) == C(), "Z for all outputs or for each");
    for (const Mat<S>& Zg : Z) a.expect(Zg.rows() == M(), "Z with the rows of m");
    a.expect(std::ssize(Ls) == C(), "Ls for each output");
    for (const Mat<S>& L : Ls) a.expect(L.rows() == M() && L.cols() == M(), "Ls of M rows");
  }

  Index M() const { return m.rows(); }
  Index C() const { return m.cols(); }  // outputs that existed when the block was learned
};

// Outputs fall into groups that share inducing inputs, and with them K, L and W:
// one group of all outputs, or a group for each.
struct Groups {
  bool shared = true;
  Index C = 0;

  Index count() const { return shared ? 1 : C; }
  Index size() const { return shared ? C : 1; }
  Index first(Index g) const { return shared ? 0 : g; }
};

}  // namespace vargp
