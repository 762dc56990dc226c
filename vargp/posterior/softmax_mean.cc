#include "vargp/posterior/softmax_mean.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vargp/core/parallel.h"

namespace vargp {
namespace {

// softmax of each column in place of f; returns the sum over the columns of log p for targets Y.
template <class S>
double softmax_in_place(Mat<S>& f, const Mat<S>& Y) {
  double total = 0;
  for (Index i = 0; i < f.cols(); ++i) {
    const S top = f.col(i).maxCoeff(), at_label = Y.col(i).dot(f.col(i));
    f.col(i) = (f.col(i).array() - top).exp();
    const S z = f.col(i).sum();
    f.col(i) /= z;
    total += static_cast<double>(at_label - top) - std::log(static_cast<double>(z));
  }
  return total;
}

double inner(const Mat<double>& A, const Mat<double>& B) { return A.cwiseProduct(B).sum(); }

}  // namespace

template <class S>
SoftmaxMean<S>::SoftmaxMean(const std::vector<Mat<S>>& W, const Mat<S>& Y,
                            const Mat<double>& Lambda_0, const Mat<double>& mu_0, Solve solve)
    : W_(W), Lambda_0_(Lambda_0), mu_0_(mu_0), solve_(std::move(solve)) {
  Index col = 0;
  for (const Mat<S>& w : W_) {
    Y_.push_back(Y.middleCols(col, w.cols()));
    col += w.cols();
  }
}

template <class S>
template <class T>
T SoftmaxMean<S>::sum(const std::function<T(std::size_t)>& part) const {
  std::vector<T> parts(W_.size());
  parallel_for(std::ssize(W_), [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    parts[k] = part(k);
  });
  T total = parts.front();
  for (std::size_t k = 1; k < parts.size(); ++k) total += parts[k];
  return total;
}

template <class S>
typename SoftmaxMean<S>::Pieces SoftmaxMean<S>::project(const Mat<double>& v) const {
  const Mat<S> vs = v.template cast<S>();
  Pieces f(W_.size());
  parallel_for(std::ssize(W_), [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    f[k].noalias() = vs.transpose() * W_[k];
  });
  return f;
}

template <class S>
double SoftmaxMean<S>::log_likelihood(const Pieces& f, const Pieces& df, double step) const {
  return sum<double>([&](std::size_t k) {
    Mat<S> p = f[k] + static_cast<S>(step) * df[k];
    return softmax_in_place(p, Y_[k]);
  });
}

template <class S>
Mat<double> SoftmaxMean<S>::gradient_of_likelihood(const Pieces& f) const {
  return sum<Mat<double>>([&](std::size_t k) -> Mat<double> {
    Mat<S> p = f[k];
    softmax_in_place(p, Y_[k]);
    const Mat<S> G = W_[k] * (Y_[k] - p).transpose();
    return G.template cast<double>();
  });
}

template <class S>
typename SoftmaxMean<S>::Slope SoftmaxMean<S>::slope_of_likelihood(const Pieces& f,
                                                                   const Pieces& df,
                                                                   double step) const {
  // d/da sum (Y - p) o df  and its derivative, -(E_p[df^2] - E_p[df]^2).
  const Mat<double> both = sum<Mat<double>>([&](std::size_t k) -> Mat<double> {
    Mat<S> p = f[k] + static_cast<S>(step) * df[k];
    softmax_in_place(p, Y_[k]);
    const Mat<S> pd = p.cwiseProduct(df[k]);
    Mat<double> out(2, 1);
    out << static_cast<double>(Y_[k].cwiseProduct(df[k]).sum() - pd.sum()),
        static_cast<double>(pd.colwise().sum().squaredNorm() - pd.cwiseProduct(df[k]).sum());
    return out;
  });
  return {both(0), both(1)};
}

template <class S>
std::vector<double> SoftmaxMean<S>::maximise(Mat<double>& mu, int max_iterations, double tolerance,
                                             const std::function<void()>& pause) const {
  Pieces f = project(mu);
  std::vector<double> trail;
  Mat<double> direction, gradient_old, natural_old;
  for (int iteration = 0;; ++iteration) {
    const Mat<double> moved = mu - mu_0_, pull = Lambda_0_ * moved;
    const double value = log_likelihood(f, f, 0) - 0.5 * inner(pull, moved);
    trail.push_back(value);
    if (pause) pause();
    const bool stalled = trail.size() > 1 && value - trail[trail.size() - 2] < tolerance;
    if (iteration == max_iterations || stalled) return trail;

    const Mat<double> gradient = gradient_of_likelihood(f) - pull;
    const Mat<double> natural = solve_(gradient);
    const double slope = inner(gradient, natural);
    if (!(slope > 0)) return trail;
    double momentum = 0;
    if (iteration > 0)
      momentum =
          std::max(0.0, (slope - inner(gradient_old, natural)) / inner(gradient_old, natural_old));
    direction = momentum > 0 ? Mat<double>(natural + momentum * direction) : natural;
    if (inner(gradient, direction) <= 0) direction = natural;  // it would lead downhill: start anew
    gradient_old = gradient;
    natural_old = natural;

    const Pieces df = project(direction);
    const Mat<double> pulled = Lambda_0_ * direction;
    const double linear = inner(pulled, moved), quadratic = inner(pulled, direction);
    double step = 0;
    for (int newton = 0; newton < 8; ++newton) {
      const Slope s = slope_of_likelihood(f, df, step);
      const double change = (s.first - linear - step * quadratic) / (quadratic - s.second);
      step += std::clamp(change, -4.0, 4.0);
      if (std::abs(change) < 1e-3 * std::abs(step)) break;
    }
    // F is concave, so a step that is small enough gains; rounding alone can end the search.
    const auto gains = [&] {
      return log_likelihood(f, df, step) - 0.5 * inner(pull, moved) - step * linear -
                 0.5 * step * step * quadratic >=
             value;
    };
    while (step > 1e-8 && !gains()) step *= 0.5;
    if (!(step > 1e-8)) return trail;
    mu += step * direction;
    for (std::size_t k = 0; k < f.size(); ++k) f[k] += static_cast<S>(step) * df[k];
  }
}

template class SoftmaxMean<float>;
template class SoftmaxMean<double>;

}  // namespace vargp
