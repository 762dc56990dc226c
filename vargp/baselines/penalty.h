// What holds a network's weights near where old tasks left them, kept in two sums whatever the
// number of tasks:
//
//   1/2 sum_k P_k (w_k - Q_k / P_k)^2     up to a constant what the penalties of the tasks add up
//   to
//
// Elastic weight consolidation (Kirkpatrick et al. 2017), one penalty lambda/2 F (w - w_t)^2 a
// task:
//   P += lambda F,  Q += lambda F w_t,   F = sum_i ( d log p(y_i | x_i) / d w )^2,  y_i drawn from
//   the network's own prediction. lambda = 1 is Laplace's approximation of the posterior.
//
// Synaptic intelligence (Zenke et al. 2017), c Omega (w - w_t)^2:
//   omega = -integral of dL/dw dw along the path of task t, in total the loss that it has shed
//   Omega += max(omega, 0) / ((w_t - w_{t-1})^2 + xi),   P = 2 c Omega,  Q = P w_t
//
// The penalty may stop short of the last layer: heads of their own need none.
#pragma once

#include "vargp/baselines/network.h"

namespace vargp {

struct QuadraticPenalty {
  Weights<float> P, Q;

  // The penalty at W, times weight; its gradient is added to that of W.
  double add(const Weights<float>& W, double weight, Weights<float>& gradient) const;

  template <class Archive>
  void fields(Archive& a) {
    a("P", P);
    a("Q", Q);
    a.expect(P.size() == Q.size(), "as many parts of P as of Q");
  }
};

// F of each layer over all points of X [N, D].
template <class S>
Weights<S> fisher(const Weights<S>& W, const RowMat<float>& X, std::uint64_t seed, Index task);

template <class S>
struct PathIntegral {
  Weights<S> omega;

  // One step from `before` to `after`, where the loss had this gradient.
  void add(const Weights<S>& before, const Weights<S>& after, const Weights<S>& gradient);

  template <class Archive>
  void fields(Archive& a) {
    a("omega", omega);
  }
};

}  // namespace vargp
