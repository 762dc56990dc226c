// A fully connected network on the tape, and the same with a Gaussian over its weights.
//
//   A_0 = x,   z_l = W_l [A_{l-1}; 1],   A_l = max(z_l, 0),   f = z_L
//
// With independent weights W ~ N(mean, var), z_l is Gaussian given A_{l-1}, and is drawn itself
// instead of the weights (the local reparametrisation of Kingma et al. 2015: the noise of every
// point is its own, so gradients vary less):
//
//   z_l ~ N( mean_l [A; 1],  var_l [A^2; 1] )
//
// Points stand in columns, A [width, b]; the last layer is the head, with a row for each class.
#pragma once

#include <vector>

#include "vargp/autodiff/network.h"
#include "vargp/core/random.h"
#include "vargp/data/dataset.h"

namespace vargp {

template <class S>
using Weights = std::vector<Mat<S>>;  // W_l [out, in + 1]

// Weights of variance 2 / in (He et al. 2015), so that each layer keeps the size of its inputs; no
// shift.
template <class S>
Mat<S> start_layer(Index in, Index out, Random random);

// f [C, b]. Where z is asked for, the z_l.
template <class S>
Var<S> network(const std::vector<Var<S>>& W, const Var<S>& X, std::vector<Var<S>>* z = nullptr);

// f of one draw; noise [out, b] for each layer.
template <class S>
Var<S> drawn_network(const std::vector<Var<S>>& mean, const std::vector<Var<S>>& var,
                     const Var<S>& X, const std::vector<Mat<S>>& noise);

// Points of a mini-batch, cut into chunks of a fixed size: units of parallel work.
constexpr Index kNetworkChunk = 128;
template <class S>
struct NetworkBatch {
  std::vector<Mat<S>> X, Y;  // [D, b], and one-hot [classes of the head, b]
  Index size = 0;

  // Rows of the data, after what is there already. classes: those of the head, in order.
  void add(const Dataset& data, const Index* rows, Index count, const std::vector<int>& classes);
};

// The mean over the batch of -log p(y | x), [1, 1].
template <class S>
Var<S> mean_nll(Tape<S>& tape, const std::vector<Var<S>>& W, const NetworkBatch<S>& batch);
// The same for one draw of the weights; noise[chunk][layer].
template <class S>
Var<S> mean_nll(Tape<S>& tape, const std::vector<Var<S>>& mean, const std::vector<Var<S>>& var,
                const NetworkBatch<S>& batch, const std::vector<std::vector<Mat<S>>>& noise);

}  // namespace vargp
