#include "vargp/core/normals.h"

#include <numbers>

namespace vargp {

template <class S>
Mat<S> fast_normals(Random& random, Index rows, Index cols) {
  // Box-Muller: r = sqrt(-2 log u), angle 2 pi v, gives r cos and r sin.
  const Index half = (rows * cols + 1) / 2;
  Eigen::Array<S, Eigen::Dynamic, 1> u(half), v(half);
  const auto uniform = [&] { return static_cast<S>((random.bits() + 0.5) * 0x1p-32); };
  for (Index i = 0; i < half; ++i) {
    u(i) = uniform();
    v(i) = uniform();
  }
  u = (S(-2) * u.log()).max(S(0)).sqrt();
  v *= static_cast<S>(2 * std::numbers::pi);
  Eigen::Array<S, Eigen::Dynamic, 1> both(2 * half);
  both.head(half) = u * v.cos();
  both.tail(half) = u * v.sin();
  return Eigen::Map<const Mat<S>>(both.data(), rows, cols);
}

template Mat<float> fast_normals(Random&, Index, Index);
template Mat<double> fast_normals(Random&, Index, Index);

}  // namespace vargp
