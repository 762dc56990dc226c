// The bound of one task under Gaussian noise with the best q(u) put in (Titsias 2009), summed over
// the C outputs: what theta, the noise and Z are learned by where q(u) has a closed form.
//
//   F = sum_c log N(y_c; 0, W'W + s2 I) - C sum_i ( k - |W_i|^2 ) / (2 s2)
//
// With A = I + W W' / s2 = La La' and b = La^-1 W Y' / s2:
//   F = -C ( N/2 log(2 pi s2) + sum log diag La ) - |Y|^2 / (2 s2) + |b|^2 / 2
//       - C ( N k - |W|_F^2 ) / (2 s2)
// For Z = X this is the log marginal likelihood.
//
// trace_weight tempers the last term, which asks of Z to explain the function everywhere and not
// only where it tells the labels apart: at 1 it is the bound, at 0 the likelihood of the
// approximate model alone. In between lie the power-EP family's objectives (Bui et al. 2017).
#pragma once

#include <vector>

#include "vargp/autodiff/tape.h"

namespace vargp {

// X, Y in chunks: [b, D] and [C, b] each. Z [M, D], theta [D + 1, 1], log_noise [1, 1].
template <class S>
Var<S> collapsed_bound(const Var<S>& Z, const Var<S>& theta, const Var<S>& log_noise,
                       const std::vector<Mat<S>>& X, const std::vector<Mat<S>>& Y, double jitter,
                       double trace_weight = 1);

}  // namespace vargp
