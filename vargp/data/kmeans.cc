#include "vargp/data/kmeans.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "vargp/core/error.h"
#include "vargp/core/parallel.h"

namespace vargp {
namespace {

constexpr Index kChunk = 256;   // points compared in one product
constexpr Index kGroup = 8;     // centres averaged as one unit of work
constexpr float kSame = 1e-6f;  // squared distances below this share of the largest are zero

Index chunks(Index N, Index size) { return (N + size - 1) / size; }

RowMat<float> rows_of(const RowMat<float>& X, std::span<const Index> rows) {
  RowMat<float> out(std::ssize(rows), X.cols());
  for (Index i = 0; i < out.rows(); ++i) out.row(i) = X.row(rows[static_cast<std::size_t>(i)]);
  return out;
}

// Each chunk's sum is made by itself, the chunks are added in order.
double sum_of_squares(const RowMat<float>& X) {
  const Index count = chunks(X.rows(), kChunk);
  std::vector<double> sums(static_cast<std::size_t>(count));
  parallel_for(count, [&](Index c) {
    const Index first = c * kChunk, size = std::min(kChunk, X.rows() - first);
    sums[static_cast<std::size_t>(c)] = X.middleRows(first, size).cast<double>().squaredNorm();
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

// Orthonormal [D, k] that spans about the k leading principal directions of the sampled rows A:
// two power steps of the randomised range finder (Halko, Martinsson, Tropp 2011).
Mat<float> principal_directions(RowMat<float> A, Index k, Random& random) {
  A.rowwise() -= A.colwise().mean().eval();
  const float largest = A.cwiseAbs().maxCoeff();
  if (largest > 0) A /= largest;  // so that squares neither overflow nor vanish
  Mat<float> Q = random.normals<float>(A.cols(), k);
  for (int step = 0; step < 2; ++step) {
    const Mat<float> AQ = A * Q;
    Q.noalias() = A.transpose() * AQ;
    const Eigen::HouseholderQR<Mat<float>> qr(Q);
    Q = qr.householderQ() * Mat<float>::Identity(A.cols(), k);
  }
  return Q;
}

// The points in the coordinates in which they are compared: centred, of unit mean square, in the
// principal directions where D is larger than their number.
RowMat<float> coordinates(const RowMat<float>& X, Index directions, Random& random) {
  const Index N = X.rows(), D = X.cols();
  Vec<double> sums = Vec<double>::Zero(D);
  for (Index i = 0; i < N; ++i) sums += X.row(i).cast<double>().transpose();
  const Eigen::RowVectorXf mean = (sums.transpose() / static_cast<double>(N)).cast<float>();

  Mat<float> Q;
  if (directions > 0 && directions < D) {
    constexpr Index kRows = 2000;
    std::vector<Index> rows = random.permutation(N);
    rows.resize(static_cast<std::size_t>(std::min(N, kRows)));
    Q = principal_directions(rows_of(X, rows), directions, random);
  }
  RowMat<float> P(N, Q.size() ? Q.cols() : D);
  parallel_for(chunks(N, kChunk), [&](Index c) {
    const Index first = c * kChunk, size = std::min(kChunk, N - first);
    const RowMat<float> centred = X.middleRows(first, size).rowwise() - mean;
    if (Q.size())
      P.middleRows(first, size).noalias() = centred * Q;
    else
      P.middleRows(first, size) = centred;
  });
  const double square = sum_of_squares(P) / static_cast<double>(N);
  if (square > 0) P *= static_cast<float>(1 / std::sqrt(square));
  return P;
}

struct Assignment {
  std::vector<Index> label;     // the nearest centre of each point
  std::vector<float> distance;  // squared
  std::vector<Index> count;     // points of each centre
};

// argmin_k |p - c_k|^2 = argmax_k p'c_k - |c_k|^2 / 2: one product a chunk.
Assignment assign(const RowMat<float>& P, const RowMat<float>& centres) {
  const Index N = P.rows(), K = centres.rows();
  Assignment out;
  out.label.resize(static_cast<std::size_t>(N));
  out.distance.resize(static_cast<std::size_t>(N));
  out.count.assign(static_cast<std::size_t>(K), 0);
  const Vec<float> half = 0.5f * centres.rowwise().squaredNorm();
  parallel_for(chunks(N, kChunk), [&](Index c) {
    const Index first = c * kChunk, size = std::min(kChunk, N - first);
    Mat<float> score(K, size);
    score.noalias() = centres * P.middleRows(first, size).transpose();
    for (Index i = 0; i < size; ++i) {
      auto column = score.col(i);
      column -= half;
      const float best = column.maxCoeff();
      // Two passes, both of them wide: a maximum that carries its place along is not.
      const Index k = std::find(column.data(), column.data() + K, best) - column.data();
      const auto at = static_cast<std::size_t>(first + i);
      out.label[at] = std::min(k, K - 1);
      out.distance[at] = std::max(0.0f, P.row(first + i).squaredNorm() - 2 * best);
    }
  });
  for (const Index k : out.label) ++out.count[static_cast<std::size_t>(k)];
  return out;
}

// A centre without points takes the point that is farthest from its own centre, and is not that
// centre's only one. Points that lie on a centre already do not count: fewer distinct points than
// centres leave centres empty.
void fill_empty(const RowMat<float>& P, Assignment& a) {
  const Index empty = std::count(a.count.begin(), a.count.end(), Index{0});
  if (empty == 0) return;
  const float least = kSame * P.rowwise().squaredNorm().maxCoeff();
  std::vector<Index> far;
  for (Index i = 0; i < P.rows(); ++i)
    if (a.distance[static_cast<std::size_t>(i)] > least) far.push_back(i);
  std::stable_sort(far.begin(), far.end(), [&](Index i, Index j) {
    return a.distance[static_cast<std::size_t>(i)] > a.distance[static_cast<std::size_t>(j)];
  });
  auto next = far.begin();
  for (Index k = 0; k < std::ssize(a.count); ++k) {
    if (a.count[static_cast<std::size_t>(k)] > 0) continue;
    while (next != far.end() &&
           a.count[static_cast<std::size_t>(a.label[static_cast<std::size_t>(*next)])] == 1)
      ++next;
    if (next == far.end()) return;
    Index& label = a.label[static_cast<std::size_t>(*next++)];
    --a.count[static_cast<std::size_t>(label)];
    ++a.count[static_cast<std::size_t>(k)];
    label = k;
  }
}

// The average of every centre's points, in double, in the order of the points. Centres without
// points keep the row they have in centres.
template <class S>
void average(const RowMat<float>& P, const Assignment& a, RowMat<S>& centres) {
  const Index K = centres.rows();
  std::vector<Index> start(static_cast<std::size_t>(K) + 1, 0);
  std::partial_sum(a.count.begin(), a.count.end(), start.begin() + 1);
  std::vector<Index> member(a.label.size()), next(start.begin(), start.end() - 1);
  for (std::size_t i = 0; i < a.label.size(); ++i)
    member[static_cast<std::size_t>(next[static_cast<std::size_t>(a.label[i])]++)] =
        static_cast<Index>(i);
  parallel_for(chunks(K, kGroup), [&](Index g) {
    Eigen::RowVectorXd sum(P.cols());
    for (Index k = g * kGroup; k < std::min(K, (g + 1) * kGroup); ++k) {
      const Index first = start[static_cast<std::size_t>(k)];
      const Index last = start[static_cast<std::size_t>(k) + 1];
      if (first == last) continue;
      sum.setZero();
      for (Index i = first; i < last; ++i)
        sum += P.row(member[static_cast<std::size_t>(i)]).cast<double>();
      centres.row(k) = (sum / static_cast<double>(last - first)).template cast<S>();
    }
  });
}

// k-means++ (Arthur, Vassilvitskii 2007): a point becomes a centre with a chance in proportion to
// its squared distance from the centres there are. Several are drawn at a time once there are
// many, an eighth of their number, so that distances come from products of matrices. Where all
// points lie on centres, the rest of the centres repeat the first.
RowMat<float> plus_plus(const RowMat<float>& P, Index M, Random& random) {
  const Index N = P.rows();
  constexpr Index kAtOnce = 32;
  const Vec<float> square = P.rowwise().squaredNorm();
  const float least = kSame * square.maxCoeff();
  RowMat<float> centres(M, P.cols());
  centres.row(0) = P.row(random.below(N));
  Vec<float> distance = Vec<float>::Constant(N, std::numeric_limits<float>::max());
  std::vector<double> cumulated(static_cast<std::size_t>(N));
  Index done = 0, drawn = 1;
  while (true) {
    const auto fresh = centres.middleRows(done, drawn - done);
    const Vec<float> half = 0.5f * fresh.rowwise().squaredNorm();
    parallel_for(chunks(N, kChunk), [&](Index c) {
      const Index first = c * kChunk, size = std::min(kChunk, N - first);
      const Mat<float> score = (fresh * P.middleRows(first, size).transpose()).colwise() - half;
      for (Index i = 0; i < size; ++i) {
        const float d = square(first + i) - 2 * score.col(i).maxCoeff();
        distance(first + i) = std::min(distance(first + i), d > least ? d : 0.0f);
      }
    });
    done = drawn;
    if (done == M) return centres;
    double total = 0;
    for (Index i = 0; i < N; ++i)
      cumulated[static_cast<std::size_t>(i)] = total += static_cast<double>(distance(i));
    drawn = std::min(M, done + std::clamp(done / 8, Index{1}, kAtOnce));
    for (Index k = done; k < drawn; ++k) {
      if (total == 0) {
        centres.row(k) = centres.row(0);
        continue;
      }
      const auto at =
          std::upper_bound(cumulated.begin(), cumulated.end(), random.uniform() * total);
      centres.row(k) = P.row(std::min<Index>(at - cumulated.begin(), N - 1));
    }
  }
}

void lloyd(const RowMat<float>& P, int rounds, RowMat<float>& centres,
           const std::function<void()>& pause) {
  std::vector<Index> last;
  for (int round = 0; round < rounds; ++round) {
    Assignment a = assign(P, centres);
    fill_empty(P, a);
    average(P, a, centres);
    if (pause) pause();
    if (a.label == last) return;
    last = std::move(a.label);
  }
}

// Takes away centres of too few points, half of them at a time and the smallest first, until the
// points they leave to others have made all of the others large enough.
Assignment assign_at_least(const RowMat<float>& P, Index minimum, RowMat<float>& centres) {
  while (true) {
    Assignment a = assign(P, centres);
    if (minimum <= 1) {
      fill_empty(P, a);
      return a;
    }
    std::vector<Index> small, keep;
    for (Index k = 0; k < centres.rows(); ++k)
      if (a.count[static_cast<std::size_t>(k)] < minimum) small.push_back(k);
    if (small.empty()) return a;
    std::stable_sort(small.begin(), small.end(), [&](Index j, Index k) {
      return a.count[static_cast<std::size_t>(j)] < a.count[static_cast<std::size_t>(k)];
    });
    small.resize((small.size() + 1) / 2);
    std::sort(small.begin(), small.end());
    for (Index k = 0; k < centres.rows(); ++k)
      if (!std::binary_search(small.begin(), small.end(), k)) keep.push_back(k);
    centres = rows_of(centres, keep);
  }
}

// No two rows alike, in the order of their first occurrence: what is left of k-means when there
// is a centre for every point.
Clusters distinct_rows(const RowMat<float>& X) {
  const Index N = X.rows();
  const auto before = [&](Index i, Index j) {
    return std::lexicographical_compare(X.row(i).begin(), X.row(i).end(), X.row(j).begin(),
                                        X.row(j).end());
  };
  std::map<Index, Index, decltype(before)> count(before);
  for (Index i = 0; i < N; ++i) ++count[i];
  std::vector<Index> rows;
  for (const auto& [row, n] : count) rows.push_back(row);
  std::sort(rows.begin(), rows.end());
  Clusters out;
  out.centres = rows_of(X, rows);
  for (const Index row : rows) out.counts.push_back(count[row]);
  return out;
}

void validate(const RowMat<float>& X, Index M, const KMeansOptions& options) {
  require(M >= 1, "k-means: {} centres, expected 1 or more", M);
  require(X.rows() >= 1 && X.cols() >= 1, "k-means: {} points of {} columns, expected some",
          X.rows(), X.cols());
  require(options.sample_rounds >= 0, "k-means: sample_rounds is {}, expected 0 or more",
          options.sample_rounds);
  require(options.full_rounds >= 0, "k-means: full_rounds is {}, expected 0 or more",
          options.full_rounds);
  require(options.sample_per_centre >= 0, "k-means: sample_per_centre is {}, expected 0 or more",
          options.sample_per_centre);
  require(options.directions >= 0, "k-means: directions is {}, expected 0 or more",
          options.directions);
  require(options.minimum >= 1 && options.minimum <= X.rows(),
          "k-means: minimum is {}, expected 1 to {}, the number of points", options.minimum,
          X.rows());
}

}  // namespace

Clusters kmeans(const RowMat<float>& X, Index M, Random& random, const KMeansOptions& options) {
  validate(X, M, options);
  const double square = sum_of_squares(X);
  require(std::isfinite(square), "k-means: a value is not finite");
  const Index N = X.rows();
  if (M >= N && options.minimum == 1) return distinct_rows(X);
  M = std::min(M, N / options.minimum);

  const RowMat<float> P = coordinates(X, options.directions, random);
  const Index sample = options.sample_per_centre ? M * options.sample_per_centre : N;
  RowMat<float> centres;
  if (sample < N) {
    std::vector<Index> rows = random.permutation(N);
    rows.resize(static_cast<std::size_t>(sample));
    const RowMat<float> some = rows_of(P, rows);
    centres = plus_plus(some, M, random);
    if (options.pause) options.pause();
    lloyd(some, options.sample_rounds, centres, options.pause);
    lloyd(P, options.full_rounds, centres, options.pause);
  } else {
    centres = plus_plus(P, M, random);
    lloyd(P, options.sample_rounds + options.full_rounds, centres, options.pause);
  }
  const Assignment a = assign_at_least(P, options.minimum, centres);

  RowMat<double> means(centres.rows(), X.cols());
  average(X, a, means);
  // sum_i |x_i - c|^2 = sum_i |x_i|^2 - n |c|^2 where c is the average of the n points.
  Clusters out;
  std::vector<Index> used;
  out.inertia = square;
  for (Index k = 0; k < means.rows(); ++k) {
    const Index n = a.count[static_cast<std::size_t>(k)];
    if (n == 0) continue;
    used.push_back(k);
    out.counts.push_back(n);
    out.inertia -= static_cast<double>(n) * means.row(k).squaredNorm();
  }
  out.inertia = std::max(0.0, out.inertia);
  out.centres.resize(std::ssize(used), X.cols());
  for (Index k = 0; k < out.centres.rows(); ++k)
    out.centres.row(k) = means.row(used[static_cast<std::size_t>(k)]).cast<float>();
  return out;
}

Clusters kmeans_per_class(const RowMat<float>& X, std::span<const int> y, Index M, Random& random,
                          const KMeansOptions& options) {
  validate(X, M, options);
  require(std::ssize(y) == X.rows(), "k-means: {} points but {} labels", X.rows(), y.size());
  std::map<int, std::vector<Index>> rows;
  for (Index i = 0; i < X.rows(); ++i) rows[y[static_cast<std::size_t>(i)]].push_back(i);
  const Index classes = std::ssize(rows);
  require(M >= classes, "k-means: {} centres for {} classes, expected one each or more", M,
          classes);

  // One each; the rest one by one to the class with the most points for each centre it has.
  std::map<int, Index> share;
  for (const auto& [k, members] : rows) share[k] = 1;
  for (Index given = classes; given < M; ++given) {
    const auto most = std::max_element(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
      return std::ssize(a.second) * share[b.first] < std::ssize(b.second) * share[a.first];
    });
    ++share[most->first];
  }
  Clusters out;
  out.centres.resize(0, X.cols());
  for (const auto& [k, members] : rows) {
    const Clusters part = kmeans(rows_of(X, members), share[k], random, options);
    const Index before = out.centres.rows();
    out.centres.conservativeResize(before + part.centres.rows(), X.cols());
    out.centres.bottomRows(part.centres.rows()) = part.centres;
    out.counts.insert(out.counts.end(), part.counts.begin(), part.counts.end());
    out.classes.insert(out.classes.end(), part.counts.size(), k);
    out.inertia += part.inertia;
  }
  return out;
}

}  // namespace vargp
