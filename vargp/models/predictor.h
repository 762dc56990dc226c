// A chain of blocks made ready to predict: K, L, alpha and R of every theta sample are
// computed once, then any number of points can be asked for.
#pragma once

#include <memory>
#include <vector>

#include "vargp/core/types.h"
#include "vargp/posterior/chain.h"

namespace vargp {

template <class S>
class ChainPredictor {
 public:
  // thetas: S samples [D + 1, 1]. phi: of a deep kernel, else empty.
  ChainPredictor(std::vector<InducingBlock<S>> blocks, Groups groups,
                 const std::vector<Mat<S>>& thetas, std::vector<Mat<S>> phi, Structure structure,
                 double jitter);

  // mean and var [C, b] at X [b, D] for each sample of theta.
  void latent(const Mat<S>& X, std::vector<Mat<S>>& mean, std::vector<Mat<S>>& var) const;

 private:
  Groups groups_;
  std::vector<Mat<S>> phi_;
  std::vector<InducingBlock<S>> blocks_;  // with g_phi(Z) for Z
  std::vector<Tape<S>> tapes_;            // [S * group]
  std::vector<ChainFactors<S>> factors_;  // [S * group]
};

}  // namespace vargp
