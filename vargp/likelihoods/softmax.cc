#include "vargp/likelihoods/softmax.h"

#include <algorithm>

namespace vargp {
namespace {

// Rounding can leave a variance of zero or just below it.
template <class S>
Mat<S> standard_deviation(const Mat<S>& var) {
  return var.array().max(S(1e-12)).sqrt();
}

// exp(f - max) of each column, in one go over the whole matrix so that every entry takes the same
// path, and the sum of each column, in the order of its rows: bits that do not depend on the
// column.
template <class S>
Mat<S> exponentials(const Mat<S>& f, Mat<S>& sums) {
  Mat<S> e = f.rowwise() - f.colwise().maxCoeff();
  e = e.array().exp();
  sums.resize(1, f.cols());
  for (Index j = 0; j < e.cols(); ++j) {
    S total = 0;
    for (Index c = 0; c < e.rows(); ++c) total += e(c, j);
    sums(0, j) = total;
  }
  return e;
}

}  // namespace

template <class S>
Mat<S> log_sum_exp(const Mat<S>& f) {
  Mat<S> sums;
  exponentials(f, sums);
  return f.colwise().maxCoeff().array() + sums.array().log();
}

template <class S>
Mat<S> softmax(const Mat<S>& f) {
  Mat<S> sums, p = exponentials(f, sums);
  p.array().rowwise() /= sums.row(0).array();
  return p;
}

template <class S>
Var<S> Softmax<S>::expected_log(const Var<S>& mean, const Var<S>& var, const Mat<S>& Y,
                                const Var<S>&, const Noise<S>& noise) const {
  VARGP_CHECK(!noise.empty());
  const Mat<S> sd = standard_deviation(var.value());
  Mat<S> dmean = Mat<S>::Zero(Y.rows(), Y.cols()), dvar = dmean;
  S total = 0;
  for (const Mat<S>& eps : noise) {
    const Mat<S> f = mean.value() + sd.cwiseProduct(eps);
    const Mat<S> residual = Y - softmax(f);
    total += (Y.cwiseProduct(f).colwise().sum() - log_sum_exp(f)).sum();
    dmean += residual;
    dvar.array() += residual.array() * eps.array() / (S(2) * sd.array());
  }
  const S weight = S(1) / static_cast<S>(noise.size());
  return mean.tape().record(Mat<S>::Constant(1, 1, weight * total), {mean, var},
                            [=](const Mat<S>&, const Mat<S>& d) {
                              if (mean.wants_grad()) mean.add_grad(weight * d(0) * dmean);
                              if (var.wants_grad()) var.add_grad(weight * d(0) * dvar);
                            });
}

template <class S>
Curvature<S> Softmax<S>::curvature(const Mat<S>& mean, const Mat<S>& var, const Mat<S>& Y, S,
                                   const Noise<S>& noise) const {
  VARGP_CHECK(!noise.empty());
  const Mat<S> sd = standard_deviation(var);
  const S weight = S(1) / static_cast<S>(noise.size());
  Curvature<S> out{Y, Mat<S>::Zero(Y.rows(), Y.cols())};
  for (const Mat<S>& eps : noise) {
    const Mat<S> p = softmax<S>(mean + sd.cwiseProduct(eps));
    out.g -= weight * p;
    out.lambda.array() += weight * p.array() * (S(1) - p.array());
  }
  return out;
}

template <class S>
Noise<S> balanced_noise(Random random, Index C, Index F) {
  Noise<S> noise;
  Mat<S> draw;
  for (Index f = 0; f < F; ++f) {
    const Index rotation = f % C;
    if (rotation == 0) draw = f / C % 2 == 0 ? random.normals<S>(C, 1) : Mat<S>(-draw);
    Mat<S> rotated(C, 1);
    rotated << draw.bottomRows(C - rotation), draw.topRows(rotation);
    noise.push_back(std::move(rotated));
  }
  return noise;
}

template <class S>
Mat<S> softmax_probabilities(const Mat<S>& mean, const Mat<S>& var, const Noise<S>& noise) {
  const Mat<S> sd = standard_deviation(var);
  Mat<S> p = Mat<S>::Zero(mean.rows(), mean.cols());
  for (const Mat<S>& eps : noise) {
    if (eps.cols() == mean.cols())
      p += softmax<S>(mean + sd.cwiseProduct(eps));
    else
      p += softmax<S>(mean + eps.col(0).asDiagonal() * sd);
  }
  return p / static_cast<S>(noise.size());
}

template Mat<float> log_sum_exp(const Mat<float>&);
template Mat<double> log_sum_exp(const Mat<double>&);
template Mat<float> softmax(const Mat<float>&);
template Mat<double> softmax(const Mat<double>&);
template Noise<float> balanced_noise(Random, Index, Index);
template Noise<double> balanced_noise(Random, Index, Index);
template Mat<float> softmax_probabilities(const Mat<float>&, const Mat<float>&,
                                          const Noise<float>&);
template Mat<double> softmax_probabilities(const Mat<double>&, const Mat<double>&,
                                           const Noise<double>&);
template class Softmax<float>;
template class Softmax<double>;

}  // namespace vargp
