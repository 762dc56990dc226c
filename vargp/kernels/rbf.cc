#include "vargp/kernels/rbf.h"

#include <algorithm>
#include <cmath>

namespace vargp {
namespace {

// Each column d divided by exp(theta_d).
template <class S>
Mat<S> scaled(const Mat<S>& X, const Mat<S>& theta) {
  return X * (-theta.col(0).head(X.cols())).array().exp().matrix().asDiagonal();
}

// exp(2 theta_D - 1/2 |zs_i - xs_j|^2), the distance from one product; rounding may not make it
// negative.
template <class S>
Mat<S> gram_of_scaled(const Mat<S>& Zs, const Mat<S>& Xs, S log_scale) {
  const Vec<S> z = S(-0.5) * Zs.rowwise().squaredNorm();
  const Vec<S> x = S(-0.5) * Xs.rowwise().squaredNorm();
  Mat<S> K(Zs.rows(), Xs.rows());
  K.noalias() = Zs * Xs.transpose();
  for (Index j = 0; j < K.cols(); ++j) K.col(j) = ((K.col(j) + z).array() + x(j)).min(S(0));
  // In one go over the whole matrix: every entry takes the same path, whatever its column.
  K = K.array().exp() * std::exp(2 * log_scale);
  return K;
}

template <class S>
void make_symmetric(Mat<S>& K, S diagonal) {
  K.template triangularView<Eigen::StrictlyUpper>() = K.transpose();
  K.diagonal().setConstant(diagonal);
}

template <class S>
S log_scale_of(const Mat<S>& theta) {
  return theta(theta.rows() - 1, 0);
}

}  // namespace

template <class S>
Mat<S> rbf_gram(const Mat<S>& Z, const Mat<S>& X, const Mat<S>& theta) {
  return gram_of_scaled<S>(scaled(Z, theta), scaled(X, theta), log_scale_of(theta));
}

template <class S>
Mat<S> rbf_gram(const Mat<S>& Z, const Mat<S>& theta) {
  const Mat<S> Zs = scaled(Z, theta);
  Mat<S> K = gram_of_scaled<S>(Zs, Zs, log_scale_of(theta));
  make_symmetric<S>(K, std::exp(2 * log_scale_of(theta)));
  return K;
}

template <class S>
Var<S> rbf_gram(const Var<S>& Z, const Var<S>& X, const Var<S>& theta) {
  const Index D = Z.cols();
  VARGP_CHECK(X.cols() == D && theta.rows() == D + 1);
  Mat<S> Zs = scaled(Z.value(), theta.value()), Xs = scaled(X.value(), theta.value());
  Mat<S> value = gram_of_scaled<S>(Zs, Xs, log_scale_of(theta.value()));
  return Z.tape().record(
      std::move(value), {Z, X, theta},
      [=, Zs = std::move(Zs), Xs = std::move(Xs)](const Mat<S>& K, const Mat<S>& dK) {
        const Mat<S> H = dK.cwiseProduct(K);
        const Vec<S> r = H.rowwise().sum();
        const Vec<S> c = H.colwise().sum();
        const auto inverse = (-theta.value().col(0).head(D)).array().exp().matrix().asDiagonal();
        if (Z.wants_grad() || theta.wants_grad()) {
          const Mat<S> HX = H * Xs;
          if (Z.wants_grad()) Z.add_grad((HX - r.asDiagonal() * Zs) * inverse);
          if (theta.wants_grad()) {
            auto dtheta = theta.grad_ref().col(0);
            dtheta.head(D) += Zs.cwiseAbs2().transpose() * r + Xs.cwiseAbs2().transpose() * c -
                              S(2) * Zs.cwiseProduct(HX).colwise().sum().transpose();
            dtheta(D) += S(2) * r.sum();
          }
        }
        if (X.wants_grad()) X.add_grad((H.transpose() * Zs - c.asDiagonal() * Xs) * inverse);
      });
}

template <class S>
Var<S> rbf_gram(const Var<S>& Z, const Var<S>& theta) {
  const Index D = Z.cols();
  VARGP_CHECK(theta.rows() == D + 1);
  Mat<S> Zs = scaled(Z.value(), theta.value());
  Mat<S> value = gram_of_scaled<S>(Zs, Zs, log_scale_of(theta.value()));
  make_symmetric<S>(value, std::exp(2 * log_scale_of(theta.value())));
  return Z.tape().record(
      std::move(value), {Z, theta}, [=, Zs = std::move(Zs)](const Mat<S>& K, const Mat<S>& dK) {
        // Both arguments of the kernel move: H + H' in place of H for Z.
        Mat<S> H = dK.cwiseProduct(K);
        const S total = H.sum();
        H = (H + H.transpose()).eval();
        const Vec<S> r = H.rowwise().sum();
        const Mat<S> HZ = H * Zs;
        if (Z.wants_grad())
          Z.add_grad((HZ - r.asDiagonal() * Zs) *
                     (-theta.value().col(0).head(D)).array().exp().matrix().asDiagonal());
        if (theta.wants_grad()) {
          auto dtheta = theta.grad_ref().col(0);
          dtheta.head(D) +=
              Zs.cwiseAbs2().transpose() * r - Zs.cwiseProduct(HZ).colwise().sum().transpose();
          dtheta(D) += S(2) * total;
        }
      });
}

template <class S>
Var<S> rbf_variance(const Var<S>& theta) {
  const S k = std::exp(2 * log_scale_of(theta.value()));
  return theta.tape().record(Mat<S>::Constant(1, 1, k), {theta},
                             [theta](const Mat<S>& value, const Mat<S>& d) {
                               theta.grad_ref()(theta.rows() - 1, 0) += S(2) * value(0) * d(0);
                             });
}

template Mat<float> rbf_gram(const Mat<float>&, const Mat<float>&, const Mat<float>&);
template Mat<double> rbf_gram(const Mat<double>&, const Mat<double>&, const Mat<double>&);
template Mat<float> rbf_gram(const Mat<float>&, const Mat<float>&);
template Mat<double> rbf_gram(const Mat<double>&, const Mat<double>&);
template Var<float> rbf_gram(const Var<float>&, const Var<float>&, const Var<float>&);
template Var<double> rbf_gram(const Var<double>&, const Var<double>&, const Var<double>&);
template Var<float> rbf_gram(const Var<float>&, const Var<float>&);
template Var<double> rbf_gram(const Var<double>&, const Var<double>&);
template Var<float> rbf_variance(const Var<float>&);
template Var<double> rbf_variance(const Var<double>&);

}  // namespace vargp
