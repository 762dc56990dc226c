#include "vargp/likelihoods/gaussian.h"

#include <cmath>
#include <numbers>

namespace vargp {

template <class S>
Var<S> Gaussian<S>::expected_log(const Var<S>& mean, const Var<S>& var, const Mat<S>& Y,
                                 const Var<S>& log_noise, const Noise<S>&) const {
  const S s2 = std::exp(log_noise.value()(0));
  const Mat<S> residual = Y - mean.value();
  const S squares = residual.squaredNorm() + var.value().sum();
  const S count = static_cast<S>(Y.size());
  const S value = S(-0.5) * (count * (std::log(2 * std::numbers::pi_v<S>) + log_noise.value()(0)) +
                             squares / s2);
  return mean.tape().record(
      Mat<S>::Constant(1, 1, value), {mean, var, log_noise}, [=](const Mat<S>&, const Mat<S>& d) {
        if (mean.wants_grad()) mean.add_grad(d(0) / s2 * residual);
        if (var.wants_grad())
          var.add_grad(Mat<S>::Constant(var.rows(), var.cols(), S(-0.5) * d(0) / s2));
        if (log_noise.wants_grad())
          log_noise.add_grad(Mat<S>::Constant(1, 1, S(-0.5) * d(0) * (count - squares / s2)));
      });
}

template <class S>
Curvature<S> Gaussian<S>::curvature(const Mat<S>& mean, const Mat<S>& var, const Mat<S>& Y,
                                    S log_noise, const Noise<S>&) const {
  const S precision = std::exp(-log_noise);
  return {precision * (Y - mean), Mat<S>::Constant(var.rows(), var.cols(), precision)};
}

template class Gaussian<float>;
template class Gaussian<double>;

}  // namespace vargp
