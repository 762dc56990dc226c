// How the models that learn by the sequential bound differ. Everything else they share.
//
//   model           q(u_t | u_<t)          old blocks            theta        kernel
//   var-gp          N(A_t u_<t + m, S)     frozen                q(theta)     rbf
//   mle-hypers      "                      "                     a point      "
//   deep-kernel     "                      "                     q(theta)     rbf of g_phi(x)
//   block-diagonal  N(m, S)                "                     q(theta)     rbf
//   global          N(m, S)                replaced by new ones  q(theta)     "
//   global-mle      "                      "                     a point      "
//   re-var-gp       N(A_t u_<t + m, S)     move again            q(theta)     "
//
// Where old blocks do not stay as they were, their posterior enters the bound (posterior/anchor.h).
#pragma once

#include "vargp/models/options.h"
#include "vargp/posterior/chain.h"

namespace vargp {

enum class OldBlocks { kFrozen, kReplaced, kMoving };

struct Variant {
  Structure structure = Structure::kAutoRegressive;
  OldBlocks old = OldBlocks::kFrozen;
  bool deep = false;

  bool anchored() const { return old != OldBlocks::kFrozen; }
};

inline Variant variant_of(ModelKind model) {
  switch (model) {
    case ModelKind::kBlockDiagonal:
      return {.structure = Structure::kBlockDiagonal};
    case ModelKind::kGlobal:
    case ModelKind::kGlobalMle:
      return {.old = OldBlocks::kReplaced};
    case ModelKind::kReVarGp:
      return {.old = OldBlocks::kMoving};
    case ModelKind::kDeepKernel:
      return {.deep = true};
    default:
      return {};
  }
}

}  // namespace vargp
