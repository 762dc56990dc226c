#include "vargp/kernels/rbf.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace vargp {
namespace {

// 1 / exp(theta_d) for every input.
template <class S>
Vec<S> inverse_lengthscales(const Mat<S>& theta) {
  return (-theta.col(0).head(theta.rows() - 1)).array().exp();
}

template <class S>
Mat<S> scaled(const Mat<S>& X, const Mat<S>& theta) {
  const Vec<S> inverse = inverse_lengthscales(theta);
  return X * inverse.asDiagonal();
}

// The product of scaled inputs, turned into exp(2 theta_D - 1/2 |zs_i - xs_j|^2), given |zs_i|^2
// and |xs_j|^2; rounding may not make the distance negative.
template <class S>
void finish_gram(Mat<S>& K, const Vec<S>& z2, const Vec<S>& x2, S log_scale) {
  const Vec<S> z = S(-0.5) * z2, x = S(-0.5) * x2;
  for (Index j = 0; j < K.cols(); ++j) K.col(j) = ((K.col(j) + z).array() + x(j)).min(S(0));
  // In one go over the whole matrix: every entry takes the same path, whatever its column.
  K = K.array().exp() * std::exp(2 * log_scale);
}

template <class S>
Mat<S> gram_of_scaled(const Mat<S>& Zs, const Mat<S>& Xs, S log_scale) {
  Mat<S> K(Zs.rows(), Xs.rows());
  K.noalias() = Zs * Xs.transpose();
  finish_gram<S>(K, Zs.rowwise().squaredNorm(), Xs.rowwise().squaredNorm(), log_scale);
  return K;
}

// With itself: half of the product, exactly symmetric, and exactly exp(2 theta_D) on the diagonal.
template <class S>
Mat<S> gram_of_scaled(const Mat<S>& Zs, S log_scale) {
  Mat<S> K = Mat<S>::Zero(Zs.rows(), Zs.rows());
  K.template selfadjointView<Eigen::Lower>().rankUpdate(Zs);
  K.template triangularView<Eigen::StrictlyUpper>() = K.transpose();
  const Vec<S> z2 = Zs.rowwise().squaredNorm();
  finish_gram(K, z2, z2, log_scale);
  K.template triangularView<Eigen::StrictlyUpper>() = K.transpose();
  K.diagonal().setConstant(std::exp(2 * log_scale));
  return K;
}

// exp(-2 theta_d) for every input.
template <class S>
Vec<S> precisions(const Mat<S>& theta) {
  return inverse_lengthscales(theta).cwiseAbs2();
}

// The rows of X that are mostly zeros.
template <class S>
std::vector<Index> sparse_rows(const Mat<S>& X) {
  Eigen::ArrayXi zeros = Eigen::ArrayXi::Zero(X.rows());
  for (Index d = 0; d < X.cols(); ++d) zeros += (X.col(d).array() == S(0)).template cast<int>();
  std::vector<Index> rows;
  for (Index i = 0; i < X.rows(); ++i)
    if (mostly_zeros(zeros(i), X.cols())) rows.push_back(i);
  return rows;
}

template <class S>
S log_scale_of(const Mat<S>& theta) {
  return theta(theta.rows() - 1, 0);
}

}  // namespace

template <class S>
Mat<S> rbf_gram(const Mat<S>& Z, const Mat<S>& X, const Mat<S>& theta) {
  // Each point goes the way that its own zeros say: its answer does not depend on those beside it.
  const std::vector<Index> rows = sparse_rows(X);
  const Mat<S> Zs = scaled(Z, theta);
  Mat<S> K(Z.rows(), X.rows());
  Vec<S> x2(X.rows());
  if (std::ssize(rows) < X.rows()) {
    const Mat<S> Xs = scaled(X, theta);
    K.noalias() = Zs * Xs.transpose();
    x2 = Xs.rowwise().squaredNorm();
  }
  const Vec<S> precision = precisions(theta);
  if (std::ssize(rows) == X.rows()) {
    const Sparse<S> points = transposed(sparse<S>(X));
    K = multiply<S>(Z * precision.asDiagonal(), points);
    x2 = weighted_squares(precision, points);
  } else if (!rows.empty()) {
    const Mat<S> some = X(rows, Eigen::all);
    const Sparse<S> points = transposed(sparse<S>(some));
    K(Eigen::all, rows) = multiply<S>(Z * precision.asDiagonal(), points);
    x2(rows) = weighted_squares(precision, points);
  }
  finish_gram<S>(K, Zs.rowwise().squaredNorm(), x2, log_scale_of(theta));
  return K;
}

template <class S>
Mat<S> rbf_gram(const Mat<S>& Z, const Mat<S>& theta) {
  return gram_of_scaled<S>(scaled(Z, theta), log_scale_of(theta));
}

template <class S>
Var<S> rbf_gram(const Var<S>& Z, const Var<S>& X, const Var<S>& theta, Index fixed) {
  const Index D = Z.cols();
  VARGP_CHECK(X.cols() == D && theta.rows() == D + 1);
  if (!Z.wants_grad() && !X.wants_grad() && !theta.wants_grad())
    return Z.tape().constant(rbf_gram<S>(Z.value(), X.value(), theta.value()));
  Mat<S> Zs = scaled(Z.value(), theta.value()), Xs = scaled(X.value(), theta.value());
  Mat<S> value = gram_of_scaled<S>(Zs, Xs, log_scale_of(theta.value()));
  return Z.tape().record(
      std::move(value), {Z, X, theta},
      [=, Zs = std::move(Zs), Xs = std::move(Xs)](const Mat<S>& K, const Mat<S>& dK) {
        const Index moving = K.rows() - fixed;
        const Mat<S> H = dK.cwiseProduct(K);
        const Vec<S> r = H.rowwise().sum();
        const Vec<S> c = H.colwise().sum();
        const Vec<S> inverse = inverse_lengthscales(theta.value());
        Mat<S> HX;  // of the rows that are needed: all for theta, else those of Z that move
        if (theta.wants_grad())
          HX.noalias() = H * Xs;
        else if (Z.wants_grad())
          HX.noalias() = H.bottomRows(moving) * Xs;
        if (Z.wants_grad()) {
          Mat<S> dZ = r.tail(moving).asDiagonal() * Zs.bottomRows(moving);
          dZ = (HX.bottomRows(moving) - dZ) * inverse.asDiagonal();
          Z.grad_ref().bottomRows(moving) += dZ;
        }
        if (theta.wants_grad()) {
          auto dtheta = theta.grad_ref().col(0);
          for (Index d = 0; d < D; ++d)
            dtheta(d) +=
                (Zs.col(d).array() * (Zs.col(d).array() * r.array() - S(2) * HX.col(d).array()))
                    .sum() +
                (Xs.col(d).array().square() * c.array()).sum();
          dtheta(D) += S(2) * r.sum();
        }
        if (X.wants_grad())
          X.add_grad((H.transpose() * Zs - c.asDiagonal() * Xs) * inverse.asDiagonal());
      });
}

template <class S>
SparsePoints<S> sparse_points(std::shared_ptr<const SparseInputs<S>> X, const Var<S>& theta) {
  const Index D = X->by_input.cols();
  VARGP_CHECK(theta.rows() == D + 1);
  Mat<S> squares = weighted_squares(precisions(theta.value()), X->by_point);
  return {X, theta.tape().record(std::move(squares), {theta},
                                 [X, theta, D](const Mat<S>&, const Mat<S>& d) {
                                   const Vec<S> sums = weighted_squares<S>(d.col(0), X->by_input);
                                   theta.grad_ref().col(0).head(D) -=
                                       S(2) * sums.cwiseProduct(precisions(theta.value()));
                                 })};
}

template <class S>
Var<S> rbf_gram(const Var<S>& Z, const SparsePoints<S>& X, const Var<S>& theta, Index fixed) {
  const Index D = Z.cols();
  VARGP_CHECK(X.X->by_input.cols() == D && theta.rows() == D + 1);
  const Vec<S> precision = precisions(theta.value());
  const Mat<S> scaled_twice = Z.value() * precision.asDiagonal();
  Mat<S> value = multiply<S>(scaled_twice, X.X->by_point);
  finish_gram<S>(value, Z.value().cwiseProduct(scaled_twice).rowwise().sum(), X.squares.value(),
                 log_scale_of(theta.value()));
  return Z.tape().record(
      std::move(value), {Z, X.squares, theta}, [=](const Mat<S>& K, const Mat<S>& dK) {
        const Index moving = K.rows() - fixed, from = theta.wants_grad() ? 0 : fixed;
        const Mat<S> H = dK.cwiseProduct(K);
        const Vec<S> r = H.rowwise().sum();
        const Mat<S> HX = multiply<S>(H.bottomRows(K.rows() - from), X.X->by_input);
        if (Z.wants_grad()) {
          const Mat<S> dZ =
              HX.bottomRows(moving) - r.tail(moving).asDiagonal() * Z.value().bottomRows(moving);
          Z.grad_ref().bottomRows(moving) += dZ * precision.asDiagonal();
        }
        if (X.squares.wants_grad()) X.squares.add_grad(S(-0.5) * H.colwise().sum().transpose());
        if (theta.wants_grad()) {
          auto dtheta = theta.grad_ref().col(0);
          for (Index d = 0; d < D; ++d) {
            const auto z = Z.value().col(d).array();
            dtheta(d) += precision(d) * (z * (z * r.array() - S(2) * HX.col(d).array())).sum();
          }
          dtheta(D) += S(2) * r.sum();
        }
      });
}

template <class S>
Var<S> rbf_gram(const Var<S>& Z, const Var<S>& theta, Index fixed) {
  const Index D = Z.cols();
  VARGP_CHECK(theta.rows() == D + 1);
  Mat<S> Zs = scaled(Z.value(), theta.value());
  Mat<S> value = gram_of_scaled<S>(Zs, log_scale_of(theta.value()));
  return Z.tape().record(
      std::move(value), {Z, theta}, [=, Zs = std::move(Zs)](const Mat<S>& K, const Mat<S>& dK) {
        // Both arguments of the kernel move: H + H' in place of H. Going down in blocks of rows i,
        // with P = H_i,<i Zs_<i and Q = H_ii Zs_i, and those that move as one block at the end:
        //   (H Zs)_i = P + Q at the end,   zs_d' H zs_d = sum_i zs_id' (2 P + Q)_d
        const Index n = K.rows();
        Mat<S> H = dK.cwiseProduct(K);
        const S total = H.sum();
        H = (H + H.transpose()).eval();
        const Vec<S> r = H.rowwise().sum();
        Vec<S> zHz = Vec<S>::Zero(D);
        for (Index i = theta.wants_grad() ? 0 : fixed; i < n;) {
          constexpr Index kBlock = 64;
          const Index size = i < fixed ? std::min(kBlock, fixed - i) : n - i;
          const auto Zs_i = Zs.middleRows(i, size);
          Mat<S> P = Mat<S>::Zero(size, D);
          if (i > 0) P.noalias() = H.block(i, 0, size, i) * Zs.topRows(i);
          const Mat<S> Q = H.block(i, i, size, size) * Zs_i;
          if (theta.wants_grad())
            zHz += Zs_i.cwiseProduct(S(2) * P + Q).colwise().sum().transpose();
          if (i == fixed && Z.wants_grad())
            Z.grad_ref().bottomRows(size) += (P + Q - r.tail(size).asDiagonal() * Zs_i) *
                                             inverse_lengthscales(theta.value()).asDiagonal();
          i += size;
        }
        if (theta.wants_grad()) {
          auto dtheta = theta.grad_ref().col(0);
          dtheta.head(D) += Zs.cwiseAbs2().transpose() * r - zHz;
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
template Var<float> rbf_gram(const Var<float>&, const Var<float>&, const Var<float>&, Index);
template Var<double> rbf_gram(const Var<double>&, const Var<double>&, const Var<double>&, Index);
template SparsePoints<float> sparse_points(std::shared_ptr<const SparseInputs<float>>,
                                           const Var<float>&);
template SparsePoints<double> sparse_points(std::shared_ptr<const SparseInputs<double>>,
                                            const Var<double>&);
template Var<float> rbf_gram(const Var<float>&, const SparsePoints<float>&, const Var<float>&,
                             Index);
template Var<double> rbf_gram(const Var<double>&, const SparsePoints<double>&, const Var<double>&,
                              Index);
template Var<float> rbf_gram(const Var<float>&, const Var<float>&, Index);
template Var<double> rbf_gram(const Var<double>&, const Var<double>&, Index);
template Var<float> rbf_variance(const Var<float>&);
template Var<double> rbf_variance(const Var<double>&);

}  // namespace vargp
