#include "vargp/baselines/network.h"

#include <algorithm>
#include <cmath>

#include "vargp/autodiff/ops.h"

namespace vargp {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <class S>
std::vector<Var<S>> imported(Tape<S>& part, const std::vector<Var<S>>& outer) {
  std::vector<Var<S>> out;
  for (const Var<S>& v : outer) out.push_back(part.import(v));
  return out;
}

// The mean over all points of what `chunk` sums over its own.
template <class S>
Var<S> mean_over_chunks(Tape<S>& tape, const NetworkBatch<S>& batch,
                        const std::function<Var<S>(Tape<S>&, Index)>& chunk) {
  std::vector<Var<S>> sums;
  for (const auto& part : tape.parallel(std::ssize(batch.X), [&](Tape<S>&t, Index i) {
         return std::vector<Var<S>>{chunk(t, i)};
       }))
    sums.push_back(part[0]);
  return scale(sum(sums), S(1) / static_cast<S>(batch.size));
}

}  // namespace

template <class S>
Mat<S> start_layer(Index in, Index out, Random random) {
  Mat<S> W(out, in + 1);
  W.leftCols(in) =
      static_cast<S>(std::sqrt(2.0 / static_cast<double>(in))) * random.normals<S>(out, in);
  W.col(in).setZero();
  return W;
}

template <class S>
Var<S> network(const std::vector<Var<S>>& W, const Var<S>& X, std::vector<Var<S>>* z) {
  Var<S> A = X;
  for (std::size_t l = 0; l < W.size(); ++l) {
    A = affine(W[l], A);
    if (z) z->push_back(A);
    if (l + 1 < W.size()) A = relu(A);
  }
  return A;
}

template <class S>
Var<S> drawn_network(const std::vector<Var<S>>& mean, const std::vector<Var<S>>& var,
                     const Var<S>& X, const std::vector<Mat<S>>& noise) {
  Var<S> A = X;
  for (std::size_t l = 0; l < mean.size(); ++l) {
    A = reparametrise(affine(mean[l], A), affine(var[l], square(A)), noise[l]);
    if (l + 1 < mean.size()) A = relu(A);
  }
  return A;
}

template <class S>
void NetworkBatch<S>::add(const Dataset& data, const Index* rows, Index count,
                          const std::vector<int>& classes) {
  for (Index first = 0; first < count; first += kNetworkChunk) {
    const Index b = std::min(kNetworkChunk, count - first);
    Mat<S> x(data.X.cols(), b), y = Mat<S>::Zero(std::ssize(classes), b);
    for (Index i = 0; i < b; ++i) {
      const Index row = rows[first + i];
      x.col(i) = data.X.row(row).transpose().template cast<S>();
      const auto found = std::find(classes.begin(), classes.end(), data.y[at(row)]);
      VARGP_CHECK(found != classes.end());
      y(found - classes.begin(), i) = 1;
    }
    X.push_back(std::move(x));
    Y.push_back(std::move(y));
  }
  size += count;
}

template <class S>
Var<S> mean_nll(Tape<S>& tape, const std::vector<Var<S>>& W, const NetworkBatch<S>& batch) {
  return mean_over_chunks<S>(tape, batch, [&](Tape<S>& part, Index i) {
    return cross_entropy(network(imported(part, W), part.constant_ref(batch.X[at(i)])),
                         batch.Y[at(i)]);
  });
}

template <class S>
Var<S> mean_nll(Tape<S>& tape, const std::vector<Var<S>>& mean, const std::vector<Var<S>>& var,
                const NetworkBatch<S>& batch, const std::vector<std::vector<Mat<S>>>& noise) {
  return mean_over_chunks<S>(tape, batch, [&](Tape<S>& part, Index i) {
    return cross_entropy(drawn_network(imported(part, mean), imported(part, var),
                                       part.constant_ref(batch.X[at(i)]), noise[at(i)]),
                         batch.Y[at(i)]);
  });
}

template Mat<float> start_layer(Index, Index, Random);
template Var<float> network(const std::vector<Var<float>>&, const Var<float>&,
                            std::vector<Var<float>>*);
template Var<float> drawn_network(const std::vector<Var<float>>&, const std::vector<Var<float>>&,
                                  const Var<float>&, const std::vector<Mat<float>>&);
template struct NetworkBatch<float>;
template Var<float> mean_nll(Tape<float>&, const std::vector<Var<float>>&,
                             const NetworkBatch<float>&);
template Var<float> mean_nll(Tape<float>&, const std::vector<Var<float>>&,
                             const std::vector<Var<float>>&, const NetworkBatch<float>&,
                             const std::vector<std::vector<Mat<float>>>&);
template Mat<double> start_layer(Index, Index, Random);
template Var<double> network(const std::vector<Var<double>>&, const Var<double>&,
                             std::vector<Var<double>>*);
template Var<double> drawn_network(const std::vector<Var<double>>&, const std::vector<Var<double>>&,
                                   const Var<double>&, const std::vector<Mat<double>>&);
template struct NetworkBatch<double>;
template Var<double> mean_nll(Tape<double>&, const std::vector<Var<double>>&,
                              const NetworkBatch<double>&);
template Var<double> mean_nll(Tape<double>&, const std::vector<Var<double>>&,
                              const std::vector<Var<double>>&, const NetworkBatch<double>&,
                              const std::vector<std::vector<Mat<double>>>&);

}  // namespace vargp
