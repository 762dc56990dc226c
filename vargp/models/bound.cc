#include "vargp/models/bound.h"

#include <cmath>

#include "vargp/autodiff/ops.h"
#include "vargp/posterior/chain.h"

namespace vargp {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The outputs of group g that a frozen block knows.
template <class S>
Index known(const InducingBlock<S>& block, const Groups& groups, Index g) {
  return groups.shared ? block.C() : (g < block.C() ? 1 : 0);
}

}  // namespace

template <class S>
std::vector<BlockVars<S>> frozen_blocks(Tape<S>& tape, const std::vector<InducingBlock<S>>& frozen,
                                        const Groups& groups, Index g) {
  std::vector<BlockVars<S>> out;
  for (const InducingBlock<S>& block : frozen) {
    const Index count = known(block, groups, g), first = groups.first(g);
    if (count == 0) continue;
    BlockVars<S> vars;
    vars.Z = tape.constant_ref(block.Z[at(groups.shared ? 0 : g)]);
    vars.m = tape.constant(block.m.middleCols(first, count));
    for (Index c = 0; c < count; ++c) vars.Ls.push_back(tape.constant_ref(block.Ls[at(first + c)]));
    out.push_back(std::move(vars));
  }
  return out;
}

template <class S>
Bound<S> bound(Tape<S>& tape, const std::vector<InducingBlock<S>>& frozen, const TaskVars<S>& q,
               const Groups& groups, const Likelihood<S>& likelihood, const Batch<S>& batch,
               double beta, double jitter) {
  const Index samples = static_cast<Index>(q.theta.size()), G = groups.count();
  const Index chunks = static_cast<Index>(batch.X.size());
  Bound<S> out;

  // For every (s, g): the factors, the KL, and for every chunk of the batch its moments.
  const auto units = tape.parallel(samples * G, [&](Tape<S>& part, Index unit) {
    const Index s = unit / G, g = unit % G, first = groups.first(g), size = groups.size();
    auto blocks = frozen_blocks(part, frozen, groups, g);
    BlockVars<S> current;
    current.Z = part.import(q.Z[at(g)]);
    current.m = part.import(q.m);
    if (!groups.shared) current.m = block(current.m, 0, first, current.m.rows(), 1);
    for (Index c = 0; c < size; ++c) current.Ls.push_back(part.import(q.Ls[at(first + c)]));
    const auto Ls = current.Ls;
    blocks.push_back(std::move(current));
    const auto factors = factorise(blocks, size, part.import(q.theta[at(s)]), jitter,
                                   "the kernel matrix of the inducing inputs");

    const auto moments_of_chunks = part.parallel(chunks, [&](Tape<S>& leaf, Index i) {
      const ChainFactors<S> here = import(leaf, factors);
      const Var<S> W = whitened(here, leaf.constant_ref(batch.X[at(i)]));
      const Moments<S> f = moments(here, W);
      return std::vector<Var<S>>{f.mean, f.var, W};
    });
    std::vector<Var<S>> outputs = {kl_of_last(factors, Ls), factors.parts.back().L_tt};
    for (const auto& chunk : moments_of_chunks)
      outputs.insert(outputs.end(), chunk.begin(), chunk.end());
    return outputs;
  });

  std::vector<Var<S>> kls;
  for (Index s = 0; s < samples; ++s) {
    out.parts.emplace_back();
    out.mean.emplace_back();
    out.var.emplace_back();
    for (Index g = 0; g < G; ++g) {
      const auto& unit = units[at(s * G + g)];
      kls.push_back(unit[0]);
      typename Bound<S>::Part part{unit[1], {}};
      for (Index i = 0; i < chunks; ++i) part.W.push_back(unit[at(2 + 3 * i + 2)]);
      out.parts.back().push_back(std::move(part));
    }
    for (Index i = 0; i < chunks; ++i) {
      std::vector<Var<S>> means, variances;
      for (Index g = 0; g < G; ++g) {
        means.push_back(units[at(s * G + g)][at(2 + 3 * i)]);
        variances.push_back(units[at(s * G + g)][at(2 + 3 * i + 1)]);
      }
      out.mean.back().push_back(G == 1 ? means[0] : vstack(means));
      out.var.back().push_back(G == 1 ? variances[0] : vstack(variances));
    }
  }

  // E_theta over the samples; the likelihood sees all outputs of a point at once.
  const auto terms = tape.parallel(samples * chunks, [&](Tape<S>& part, Index unit) {
    const Index s = unit / chunks, i = unit % chunks;
    const Noise<S> none;
    return std::vector<Var<S>>{likelihood.expected_log(
        part.import(out.mean[at(s)][at(i)]), part.import(out.var[at(s)][at(i)]), batch.Y[at(i)],
        part.import(q.log_noise), likelihood.samples() ? batch.noise[at(s)][at(i)] : none)};
  });
  std::vector<Var<S>> ells;
  for (const auto& term : terms) ells.push_back(term[0]);

  const S average = S(1) / static_cast<S>(samples);
  const S whole = static_cast<S>(batch.N) / static_cast<S>(batch.size());
  out.ell = scale(sum(ells), average * whole);
  out.kl_u = scale(sum(kls), average);
  out.kl_hyper = q.kl_hyper;
  out.loss = add(scale(out.kl_hyper, static_cast<S>(beta)), subtract(out.kl_u, out.ell));
  return out;
}

template std::vector<BlockVars<float>> frozen_blocks(Tape<float>&,
                                                     const std::vector<InducingBlock<float>>&,
                                                     const Groups&, Index);
template std::vector<BlockVars<double>> frozen_blocks(Tape<double>&,
                                                      const std::vector<InducingBlock<double>>&,
                                                      const Groups&, Index);
template Bound<float> bound(Tape<float>&, const std::vector<InducingBlock<float>>&,
                            const TaskVars<float>&, const Groups&, const Likelihood<float>&,
                            const Batch<float>&, double, double);
template Bound<double> bound(Tape<double>&, const std::vector<InducingBlock<double>>&,
                             const TaskVars<double>&, const Groups&, const Likelihood<double>&,
                             const Batch<double>&, double, double);

}  // namespace vargp
