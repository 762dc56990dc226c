#include "vargp/models/bound.h"

#include <cmath>

#include "vargp/autodiff/ops.h"
#include "vargp/kernels/deep.h"
#include "vargp/posterior/anchor.h"
#include "vargp/posterior/chain.h"

namespace vargp {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// g_phi of what the kernel is asked for.
template <class S>
void pass(const std::vector<Var<S>>& phi, std::vector<BlockEntry<S>>& blocks) {
  for (BlockEntry<S>& block : blocks)
    for (Var<S>& Z : block.Z) Z = features(phi, Z);
}

// 1/2 sum_z |g_phi(z) - g_phi'(z)|^2; the old blocks are the first ones.
template <class S>
Var<S> feature_distance(const std::vector<BlockEntry<S>>& blocks,
                        const std::vector<Mat<S>>& old_features) {
  std::vector<Var<S>> terms;
  for (const BlockEntry<S>& block : blocks)
    for (const Var<S>& G : block.Z)
      if (terms.size() < old_features.size())
        terms.push_back(sum_of_squares(subtract(G, G.tape().constant(old_features[terms.size()]))));
  return scale(sum(terms), S(0.5));
}

}  // namespace

template <class S>
BlockEntry<S> enter(Tape<S>& tape, const InducingBlock<S>& block) {
  BlockEntry<S> out;
  for (const Mat<S>& Z : block.Z) out.Z.push_back(tape.constant_ref(Z));
  out.m = tape.constant_ref(block.m);
  for (const Mat<S>& Ls : block.Ls) out.Ls.push_back(tape.constant_ref(Ls));
  return out;
}

template <class S>
std::vector<BlockVars<S>> shares(Tape<S>& part, const std::vector<BlockEntry<S>>& blocks,
                                 const Groups& groups, Index g) {
  std::vector<BlockVars<S>> out;
  for (const BlockEntry<S>& entry : blocks) {
    // The outputs of the group that the block knows.
    const Index first = groups.first(g), C = entry.m.cols();
    const Index count = groups.shared ? C : (g < C ? 1 : 0);
    if (count == 0) continue;
    BlockVars<S> vars;
    vars.Z = part.import(entry.Z[at(groups.shared ? 0 : g)]);
    vars.m = part.import(entry.m);
    if (count < C) vars.m = block(vars.m, 0, first, vars.m.rows(), count);
    for (Index c = 0; c < count; ++c) vars.Ls.push_back(part.import(entry.Ls[at(first + c)]));
    out.push_back(std::move(vars));
  }
  return out;
}

template <class S>
Bound<S> bound(Tape<S>& tape, const std::vector<InducingBlock<S>>& old, const TaskVars<S>& q,
               const Groups& groups, const Likelihood<S>& likelihood, const Batch<S>& batch,
               const BoundOptions& options) {
  const Variant& variant = options.variant;
  const Index samples = static_cast<Index>(q.theta.size()), G = groups.count();
  const Index chunks = static_cast<Index>(batch.X.size());
  const std::string what = "the kernel matrix of the inducing inputs";
  Bound<S> out;

  // The blocks of q_t, and those that the anchor looks back to.
  std::vector<BlockEntry<S>> before;
  for (const InducingBlock<S>& block : old) before.push_back(enter(tape, block));
  std::vector<BlockEntry<S>> chain = variant.anchored() ? q.moving : before;
  chain.push_back(q);
  pass(q.phi, chain);
  const auto X = tape.parallel(chunks, [&](Tape<S>& part, Index i) {
    std::vector<Var<S>> phi;
    for (const Var<S>& p : q.phi) phi.push_back(part.import(p));
    return std::vector<Var<S>>{features(phi, part.constant_ref(batch.X[at(i)]))};
  });

  // Features are not sparse, but the points themselves may be.
  std::vector<std::shared_ptr<const SparseInputs<S>>> sparse(at(chunks));
  if (q.phi.empty())
    parallel_for(chunks, [&](Index i) { sparse[at(i)] = sparse_inputs(batch.X[at(i)]); });

  const auto squares = tape.parallel(samples * chunks, [&](Tape<S>& part, Index unit) {
    const auto& points = sparse[at(unit % chunks)];
    if (!points) return std::vector<Var<S>>{};
    return std::vector<Var<S>>{
        sparse_points(points, part.import(q.theta[at(unit / chunks)])).squares};
  });

  // For every (s, g): the factors, the KL, and for every chunk of the batch its moments.
  std::vector<typename Bound<S>::Part> parts(at(samples * G));
  const auto units = tape.parallel(samples * G, [&](Tape<S>& part, Index unit) {
    const Index s = unit / G, g = unit % G;
    typename Bound<S>::Part& natural = parts[at(unit)];
    const auto blocks = shares(part, chain, groups, g);
    const Var<S> theta = part.import(q.theta[at(s)]);
    const auto factors =
        factorise(blocks, groups.size(), theta, options.jitter, what, variant.structure);
    const auto& last = factors.parts.back();

    const std::size_t t = blocks.size() - 1;
    std::vector<Var<S>> kls = {kl_of_block(factors, t, blocks[t].Ls)};
    // Where the KL pulls w: to 0, or to L_tt^-1 A_t E[u_<t].
    natural.r = Mat<S>::Zero(last.M, groups.size());
    if (variant.structure == Structure::kBlockDiagonal) {
      natural.r = blocks[t].m.value();
      solve_lower<S>(last.L_tt.value(), natural.r);
      natural.r -= last.alpha.value();
    }
    if (variant.anchored()) {
      for (std::size_t j = 0; j < t; ++j) kls.push_back(kl_of_block(factors, j, blocks[j].Ls));
      const auto old_blocks = shares(part, before, groups, g);
      if (!old_blocks.empty()) {
        std::vector<AnchorShape<S>> shapes;
        const auto old_factors = factorise(old_blocks, groups.size(), theta, options.jitter, what);
        kls.push_back(scale(anchor(factors, old_factors, old_blocks,
                                   variant.old == OldBlocks::kReplaced ? &shapes : nullptr),
                            S(-1)));
        for (std::size_t c = 0; c < shapes.size(); ++c) {
          natural.Q.push_back(std::move(shapes[c].Q));
          natural.r.col(static_cast<Index>(c)) = shapes[c].r;
        }
      }
    }

    // What the kernel needs of each chunk: the points, or the squares of sparse ones.
    std::vector<Var<S>> X_here;
    for (Index i = 0; i < chunks; ++i)
      X_here.push_back(part.import(sparse[at(i)] ? squares[at(s * chunks + i)][0] : X[at(i)][0]));
    const auto moments_of_chunks = part.parallel(chunks, [&](Tape<S>& leaf, Index i) {
      const ChainFactors<S> here = import(leaf, factors);
      const Var<S> x = leaf.import(X_here[at(i)]);
      const Var<S> W =
          sparse[at(i)] ? whitened(here, SparsePoints<S>{sparse[at(i)], x}) : whitened(here, x);
      const Moments<S> f = moments(here, W);
      return std::vector<Var<S>>{f.mean, f.var, W};
    });
    std::vector<Var<S>> outputs = {sum(kls), last.L_tt};
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
      typename Bound<S>::Part& part = parts[at(s * G + g)];
      part.L_tt = unit[1];
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
  out.loss = add(scale(out.kl_hyper, static_cast<S>(options.beta)), subtract(out.kl_u, out.ell));
  if (!q.old_features.empty())
    out.loss = add(out.loss, scale(feature_distance(chain, q.old_features),
                                   static_cast<S>(options.phi_penalty)));
  return out;
}

template BlockEntry<float> enter(Tape<float>&, const InducingBlock<float>&);
template BlockEntry<double> enter(Tape<double>&, const InducingBlock<double>&);
template std::vector<BlockVars<float>> shares(Tape<float>&, const std::vector<BlockEntry<float>>&,
                                              const Groups&, Index);
template std::vector<BlockVars<double>> shares(Tape<double>&,
                                               const std::vector<BlockEntry<double>>&,
                                               const Groups&, Index);
template Bound<float> bound(Tape<float>&, const std::vector<InducingBlock<float>>&,
                            const TaskVars<float>&, const Groups&, const Likelihood<float>&,
                            const Batch<float>&, const BoundOptions&);
template Bound<double> bound(Tape<double>&, const std::vector<InducingBlock<double>>&,
                             const TaskVars<double>&, const Groups&, const Likelihood<double>&,
                             const Batch<double>&, const BoundOptions&);

}  // namespace vargp
