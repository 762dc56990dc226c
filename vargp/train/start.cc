#include "vargp/train/start.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "vargp/core/error.h"
#include "vargp/core/parallel.h"
#include "vargp/data/kmeans.h"

namespace vargp {
namespace {

// The first of each set of equal rows, at most `limit` of them, in the order given.
template <class S>
Mat<S> distinct_rows(const RowMat<S>& X, const std::vector<Index>& order, Index limit) {
  const auto less = [&](Index a, Index b) {
    return std::lexicographical_compare(X.row(a).begin(), X.row(a).end(), X.row(b).begin(),
                                        X.row(b).end());
  };
  std::set<Index, decltype(less)> seen(less);
  std::vector<Index> kept;
  for (const Index i : order) {
    if (static_cast<Index>(kept.size()) == limit) break;
    if (seen.insert(i).second) kept.push_back(i);
  }
  Mat<S> Z(static_cast<Index>(kept.size()), X.cols());
  for (std::size_t k = 0; k < kept.size(); ++k) Z.row(static_cast<Index>(k)) = X.row(kept[k]);
  return Z;
}

}  // namespace

template <class S>
Mat<S> start_inducing(const RowMat<S>& X, const Options& options, Random random,
                      const std::function<void()>& pause) {
  const Index N = X.rows(), minimum = options.private_minimum;
  const auto share = static_cast<Index>(options.inducing_share * static_cast<double>(N));
  const Index M = std::min(options.inducing, std::max<Index>(share, 1));
  if (options.start == InducingStart::kRandomRows || (M >= N && minimum == 1))
    return distinct_rows(X, random.permutation(N), M);
  require(minimum <= N, "private_minimum = {}: the task has {} rows to average", minimum, N);
  KMeansOptions kmeans_options;
  kmeans_options.full_rounds = static_cast<int>(options.kmeans_iterations);
  kmeans_options.minimum = minimum;
  kmeans_options.pause = pause;
  return kmeans(X.template cast<float>(), M, random, kmeans_options).centres.template cast<S>();
}

template <class S>
double median_distance(const RowMat<S>& X, Random random) {
  const std::vector<Index> order = random.permutation(X.rows());
  const std::size_t count = std::min<std::size_t>(order.size(), 512);
  std::vector<double> squares;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < i; ++j)
      squares.push_back(static_cast<double>((X.row(order[i]) - X.row(order[j])).squaredNorm()));
  if (squares.empty()) return 1;
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  if (*middle > 0) return std::sqrt(*middle);
  const double largest = *std::max_element(squares.begin(), squares.end());
  return largest > 0 ? std::sqrt(largest) : 1;
}

template <class S>
Mat<S> start_theta(const RowMat<S>& X, const Options& options) {
  const double lengthscale =
      options.lengthscale
          ? *options.lengthscale
          : options.lengthscale_factor * median_distance(X, Random(options.seed, Purpose::kTheta));
  const Index P = options.ard ? X.cols() + 1 : 2;
  Mat<S> p = Mat<S>::Constant(P, 1, static_cast<S>(std::log(lengthscale)));
  p(P - 1) = static_cast<S>(std::log(options.scale));
  return p;
}

template <class S>
Chunks<S> gather(const RowMat<S>& X, const Mat<S>& Y, const Index* rows, Index count, Index size) {
  Chunks<S> out;
  for (Index first = 0; first < count; first += size) {
    const Index b = std::min(size, count - first);
    Mat<S> x(b, X.cols()), y(Y.rows(), b);
    parallel_pieces(b, 64, [&](Index from, Index piece) {
      for (Index i = from; i < from + piece; ++i) {
        x.row(i) = X.row(rows[first + i]);
        y.col(i) = Y.col(rows[first + i]);
      }
    });
    out.X.push_back(std::move(x));
    out.Y.push_back(std::move(y));
  }
  return out;
}

template <class S>
double score(const Latent<S>& f, const Mat<S>& Y, bool classification) {
  VARGP_CHECK(f.mean.rows() == Y.rows() && f.mean.cols() == Y.cols());
  if (!classification)
    return -static_cast<double>((f.mean - Y).squaredNorm()) / static_cast<double>(Y.size());
  Index right = 0;
  for (Index i = 0; i < Y.cols(); ++i) {
    Index best = 0;
    f.probability.col(i).maxCoeff(&best);
    right += Y(best, i) > S(0.5);
  }
  return static_cast<double>(right) / static_cast<double>(Y.cols());
}

template Mat<float> start_inducing(const RowMat<float>&, const Options&, Random,
                                   const std::function<void()>&);
template Mat<double> start_inducing(const RowMat<double>&, const Options&, Random,
                                    const std::function<void()>&);
template double median_distance(const RowMat<float>&, Random);
template double median_distance(const RowMat<double>&, Random);
template Mat<float> start_theta(const RowMat<float>&, const Options&);
template Mat<double> start_theta(const RowMat<double>&, const Options&);
template Chunks<float> gather(const RowMat<float>&, const Mat<float>&, const Index*, Index, Index);
template Chunks<double> gather(const RowMat<double>&, const Mat<double>&, const Index*, Index,
                               Index);
template double score(const Latent<float>&, const Mat<float>&, bool);
template double score(const Latent<double>&, const Mat<double>&, bool);

}  // namespace vargp
