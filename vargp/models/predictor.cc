#include "vargp/models/predictor.h"

#include "vargp/kernels/deep.h"
#include "vargp/models/bound.h"

namespace vargp {

template <class S>
ChainPredictor<S>::ChainPredictor(std::vector<InducingBlock<S>> blocks, Groups groups,
                                  const std::vector<Mat<S>>& thetas, std::vector<Mat<S>> phi,
                                  Structure structure, double jitter)
    : groups_(groups),
      phi_(std::move(phi)),
      blocks_(std::move(blocks)),
      tapes_(thetas.size() * static_cast<std::size_t>(groups.count())),
      factors_(tapes_.size()) {
  for (auto& block : blocks_)
    for (Mat<S>& Z : block.Z) Z = features(phi_, Z);
  const Index G = groups_.count();
  parallel_for(static_cast<Index>(tapes_.size()), [&](Index unit) {
    const auto k = static_cast<std::size_t>(unit);
    Tape<S>& tape = tapes_[k];
    std::vector<BlockEntry<S>> entries;
    for (const auto& block : blocks_) entries.push_back(enter(tape, block));
    factors_[k] = factorise(shares(tape, entries, groups_, unit % G), groups_.size(),
                            tape.constant(thetas[static_cast<std::size_t>(unit / G)]), jitter,
                            "the kernel matrix of the inducing inputs", structure);
  });
}

template <class S>
void ChainPredictor<S>::latent(const Mat<S>& X, std::vector<Mat<S>>& mean,
                               std::vector<Mat<S>>& var) const {
  const Index G = groups_.count(), samples = static_cast<Index>(factors_.size()) / G;
  mean.assign(static_cast<std::size_t>(samples), Mat<S>(groups_.C, X.rows()));
  var = mean;
  const Mat<S> inputs = features(phi_, X);
  for (std::size_t unit = 0; unit < factors_.size(); ++unit) {
    const auto s = unit / static_cast<std::size_t>(G);
    const Index g = static_cast<Index>(unit) % G;
    Tape<S> tape;
    const ChainFactors<S> q = import(tape, factors_[unit]);
    const Moments<S> f = moments(q, whitened(q, tape.constant_ref(inputs)));
    mean[s].middleRows(groups_.first(g), groups_.size()) = f.mean.value();
    var[s].middleRows(groups_.first(g), groups_.size()) = f.var.value();
  }
}

template class ChainPredictor<float>;
template class ChainPredictor<double>;

}  // namespace vargp
