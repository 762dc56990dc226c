// The sequential bound of the auto-regressive model, equation by equation (loss = -F):
//
//   F(q_t) = N/B sum_i E_{q_t(f, theta)} log p(y_i | f)          ell
//            - E_{q_t(theta)} KL[ q(u_t | u_<t) || p(u_t | u_<t) ]   kl_u
//            - beta KL[ q_t(theta) || q_{t-1}(theta) ]               kl_hyper
//
// with S samples of theta (models/hyper.h). For the first task there are no frozen blocks and the
// prior of theta stands in for q_{t-1}.
#pragma once

#include <string>
#include <vector>

#include "vargp/autodiff/tape.h"
#include "vargp/likelihoods/likelihood.h"
#include "vargp/posterior/block.h"
#include "vargp/posterior/chain.h"

namespace vargp {

// What the current task may learn, as entries of a tape: constants are left as they are.
template <class S>
struct TaskVars {
  std::vector<Var<S>> Z;      // one per group, [M, D]
  Var<S> m;                   // [M, C]
  std::vector<Var<S>> Ls;     // C times [M, M]
  std::vector<Var<S>> theta;  // S samples, [D + 1, 1]
  Var<S> kl_hyper;            // [1, 1]
  Var<S> log_noise;           // [1, 1]
};

template <class S>
struct Batch {
  std::vector<Mat<S>> X;                     // the points in chunks of a fixed size, [b, D] each
  std::vector<Mat<S>> Y;                     // their targets, [C, b] each
  Index N = 0;                               // points of the whole task
  std::vector<std::vector<Noise<S>>> noise;  // [S][chunk], noise of f; empty if none is needed

  Index size() const {
    Index b = 0;
    for (const auto& x : X) b += x.rows();
    return b;
  }
};

template <class S>
struct Bound {
  Var<S> loss;                 // beta kl_hyper + kl_u - ell
  Var<S> ell, kl_u, kl_hyper;  // [1, 1] each; ell is scaled to the whole task
  // By sample of theta and group, what natural gradients need.
  struct Part {
    Var<S> L_tt;            // [M, M]
    std::vector<Var<S>> W;  // one per chunk, [n, b]
  };
  std::vector<std::vector<Part>> parts;        // [S][group]
  std::vector<std::vector<Var<S>>> mean, var;  // [S][chunk], [C, b]
};

template <class S>
Bound<S> bound(Tape<S>& tape, const std::vector<InducingBlock<S>>& frozen, const TaskVars<S>& q,
               const Groups& groups, const Likelihood<S>& likelihood, const Batch<S>& batch,
               double beta, double jitter);

// The frozen blocks' shares in group g, as constants; for prediction too.
template <class S>
std::vector<BlockVars<S>> frozen_blocks(Tape<S>& tape, const std::vector<InducingBlock<S>>& frozen,
                                        const Groups& groups, Index g);

}  // namespace vargp
