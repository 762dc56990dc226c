#include "vargp/baselines/penalty.h"

#include <algorithm>

#include "vargp/core/parallel.h"
#include "vargp/likelihoods/softmax.h"

namespace vargp {

double QuadraticPenalty::add(const Weights<float>& W, double weight,
                             Weights<float>& gradient) const {
  double value = 0;
  for (std::size_t l = 0; l < P.size(); ++l) {
    const auto p = P[l].array();
    const Eigen::ArrayXXf slope = p * W[l].array() - Q[l].array();
    value += static_cast<double>((p > 0).select(slope.square() / p, 0).sum());
    gradient[l].array() += static_cast<float>(weight) * slope;
  }
  return 0.5 * weight * value;
}

template <class S>
Weights<S> fisher(const Weights<S>& W, const RowMat<float>& X, std::uint64_t seed, Index task) {
  // A fixed number of runs of chunks, so that the sums do not depend on the number of threads.
  constexpr Index kRuns = 8;
  const Index chunks = (X.rows() + kNetworkChunk - 1) / kNetworkChunk;
  std::vector<Weights<S>> sums(kRuns);
  parallel_for(kRuns, [&](Index run) {
    Weights<S>& F = sums[static_cast<std::size_t>(run)];
    for (const Mat<S>& w : W) F.push_back(Mat<S>::Zero(w.rows(), w.cols()));
    for (Index i = run * chunks / kRuns; i < (run + 1) * chunks / kRuns; ++i) {
      const Index first = i * kNetworkChunk, b = std::min(kNetworkChunk, X.rows() - first);
      Tape<S> tape;
      std::vector<Var<S>> layers, z;
      for (const Mat<S>& w : W) layers.push_back(tape.variable(w));
      const Var<S> input = tape.constant(X.middleRows(first, b).transpose().template cast<S>());
      const Var<S> f = network(layers, input, &z);
      const Mat<S> p = softmax<S>(f.value());
      Random random(seed, Purpose::kSampledLabel, task, 0, i);
      Mat<S> Y = Mat<S>::Zero(p.rows(), b);
      for (Index j = 0; j < b; ++j) {
        double left = random.uniform();
        Index c = 0;
        while (c + 1 < p.rows() && (left -= static_cast<double>(p(c, j))) > 0) ++c;
        Y(c, j) = 1;
      }
      tape.backward(cross_entropy(f, Y));
      // The gradient of one point is z's times its input's: of all points the sum of squares is a
      // product of squares.
      for (std::size_t l = 0; l < W.size(); ++l) {
        const Mat<S> A = l == 0 ? input.value() : Mat<S>(z[l - 1].value().cwiseMax(S(0)));
        const Mat<S> slope = z[l].grad().cwiseAbs2();
        F[l].leftCols(A.rows()).noalias() += slope * A.cwiseAbs2().transpose();
        F[l].col(A.rows()) += slope.rowwise().sum();
      }
    }
  });
  for (std::size_t run = 1; run < sums.size(); ++run)
    for (std::size_t l = 0; l < W.size(); ++l) sums[0][l] += sums[run][l];
  return std::move(sums[0]);
}

template <class S>
void PathIntegral<S>::add(const Weights<S>& before, const Weights<S>& after,
                          const Weights<S>& gradient) {
  if (omega.empty())
    for (const Mat<S>& w : before) omega.push_back(Mat<S>::Zero(w.rows(), w.cols()));
  for (std::size_t l = 0; l < omega.size(); ++l)
    omega[l].array() -= gradient[l].array() * (after[l] - before[l]).array();
}

template Weights<float> fisher(const Weights<float>&, const RowMat<float>&, std::uint64_t, Index);
template Weights<double> fisher(const Weights<double>&, const RowMat<float>&, std::uint64_t, Index);
template struct PathIntegral<float>;
template struct PathIntegral<double>;

}  // namespace vargp
