// A deep kernel: k( g_phi(x), g_phi(x') ), where g_phi is a network with ReLU between its layers,
//
//   g(x) = A_3 [ relu( A_2 [ relu( A_1 [x; 1] ); 1 ] ); 1 ]
//
// phi is the list of layers A_l [out, in + 1] (autodiff/network.h). With the one layer [I 0] it is
// the kernel itself.
#pragma once

#include <cmath>
#include <vector>

#include "vargp/autodiff/network.h"
#include "vargp/autodiff/ops.h"
#include "vargp/core/random.h"

namespace vargp {

// Weights of variance 2 / inputs (He et al. 2015), so that each layer keeps the size of its inputs;
// no shift. widths: of the hidden layers, then of the features.
template <class S>
std::vector<Mat<S>> start_network(Index D, const std::vector<Index>& widths, Random random) {
  std::vector<Mat<S>> phi;
  for (const Index width : widths) {
    Mat<S>& A = phi.emplace_back(Mat<S>::Zero(width, D + 1));
    A.leftCols(D) =
        static_cast<S>(std::sqrt(2.0 / static_cast<double>(D))) * random.normals<S>(width, D);
    D = width;
  }
  return phi;
}

// Inputs of the kernel behind the network, for points [., D].
template <class S>
Index kernel_inputs(const std::vector<Mat<S>>& phi, Index D) {
  return phi.empty() ? D : phi.back().rows();
}

// g_phi(X) [n, features] of X [n, D]; X itself without a network.
template <class S>
Var<S> features(const std::vector<Var<S>>& phi, const Var<S>& X) {
  if (phi.empty()) return X;
  Var<S> A = transpose(X);
  for (std::size_t layer = 0; layer < phi.size(); ++layer)
    A = affine(phi[layer], layer == 0 ? A : relu(A));
  return transpose(A);
}

template <class S>
Mat<S> features(const std::vector<Mat<S>>& phi, const Mat<S>& X) {
  Tape<S> tape;
  std::vector<Var<S>> constants;
  for (const Mat<S>& p : phi) constants.push_back(tape.constant_ref(p));
  return features(constants, tape.constant_ref(X)).value();
}

}  // namespace vargp
