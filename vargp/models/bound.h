// The sequential bound, equation by equation (loss = -F):
//
//   F(q_t) = N/B sum_i E_{q_t(f, theta)} log p(y_i | f)              ell
//            - E_{q_t(theta)} KL_t                                   kl_u
//            - beta KL[ q_t(theta) || q_{t-1}(theta) ]               kl_hyper
//
// with S samples of theta (models/hyper.h). For the first task there are no old blocks and the
// prior of theta stands in for q_{t-1}. What KL_t is depends on what becomes of the old blocks:
//
//   frozen             E_{q(u_<t)} KL[ q(u_t | u_<t) || p(u_t | u_<t) ]
//   replaced, moving   KL[ q(u) || p(u) ] - anchor, u all that q_t has (posterior/anchor.h)
//
// A deep kernel adds phi_penalty / 2 sum_z |g_phi(z) - g_phi'(z)|^2 over the frozen inducing inputs
// z to the loss, phi' being the network as the task found it.
#pragma once

#include <string>
#include <vector>

#include "vargp/autodiff/tape.h"
#include "vargp/likelihoods/likelihood.h"
#include "vargp/models/variant.h"
#include "vargp/posterior/block.h"
#include "vargp/posterior/chain.h"

namespace vargp {

// A block as entries of a tape: constants are left as they are.
template <class S>
struct BlockEntry {
  std::vector<Var<S>> Z;   // one per group, [M, D]
  Var<S> m;                // [M, C]
  std::vector<Var<S>> Ls;  // C times [M, M]
};

// What the current task may learn: its own block, and the rest.
template <class S>
struct TaskVars : BlockEntry<S> {
  std::vector<BlockEntry<S>> moving;  // the old blocks, where they move
  std::vector<Var<S>> theta;          // S samples, [D + 1, 1]
  Var<S> kl_hyper;                    // [1, 1]
  Var<S> log_noise;                   // [1, 1]
  std::vector<Var<S>> phi;            // of a deep kernel
  std::vector<Mat<S>> old_features;   // g_phi'(Z) of the old blocks; empty: no penalty
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
  // By sample of theta and group, what natural gradients need. As a function of w = L_tt^-1 u_t of
  // one output, all of F but ell takes the expectation of -1/2 w' (I + Q) w + w' r under q, and its
  // entropy.
  struct Part {
    Var<S> L_tt;            // [M, M]
    std::vector<Mat<S>> Q;  // [M, M] of each output; empty: 0
    Mat<S> r;               // [M, c]
    std::vector<Var<S>> W;  // one per chunk, [n, b]
  };
  std::vector<std::vector<Part>> parts;        // [S][group]
  std::vector<std::vector<Var<S>>> mean, var;  // [S][chunk], [C, b]
};

struct BoundOptions {
  Variant variant = {};
  double beta = 1, jitter = 0;
  double phi_penalty = 0;
};

// old: the blocks as the last task left them.
template <class S>
Bound<S> bound(Tape<S>& tape, const std::vector<InducingBlock<S>>& old, const TaskVars<S>& q,
               const Groups& groups, const Likelihood<S>& likelihood, const Batch<S>& batch,
               const BoundOptions& options);

// A block that does not move; and what blocks have in group g, on a part of the tape. Blocks that
// know no output of the group are left out.
template <class S>
BlockEntry<S> enter(Tape<S>& tape, const InducingBlock<S>& block);
template <class S>
std::vector<BlockVars<S>> shares(Tape<S>& part, const std::vector<BlockEntry<S>>& blocks,
                                 const Groups& groups, Index g);

}  // namespace vargp
