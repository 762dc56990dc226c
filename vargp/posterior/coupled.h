// The coupled posterior: the same sequential bound with all of u_<=t free to move.
//
// In whitened coordinates v = L^-1 u_<=t, with K = L L' and W(x) = L^-1 K(Z_<=t, x), one precision
// serves all outputs, and one shift each:  q(v_c) = N(mu_c, Lambda^-1),  mu = Lambda^-1 h.
//
//   mean(x) = W(x)' mu        var(x) = k(x,x) - |W(x)|^2 + W(x)' Lambda^-1 W(x)
//
//   new inducing inputs      Lambda <- blockdiag(Lambda, I),  h <- [h; 0],  L grows by rows
//   Gaussian, noise s2       Lambda += W W' / s2,  h += W Y' / s2        exact when Z = X
//   softmax, curvature bound Lambda += lambda W W',  mu maximises the bound (fit_softmax below)
//
// The prior of a task is the last posterior on the old v and N(0, I) on the new: old values may
// move, and are held with the precision that their own data gave them.
#pragma once

#include <functional>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

template <class S>
class CoupledPosterior {
 public:
  CoupledPosterior() = default;
  // theta [D + 1, 1] is fixed from here on.
  CoupledPosterior(Mat<S> theta, double jitter);

  // Adds inducing inputs [M, D], at their prior given the old ones.
  void add_inducing(const Mat<S>& Z_new);
  // Adds outputs that no data have touched.
  void add_outputs(Index C);

  // Learns X [N, D], Y [C, N] with Gaussian noise s2: one pass, closed form. Returns the bound
  //   sum_i E log N(y_i; f, s2) - KL[q_t || q_{t-1}],
  // which for Z = X is the log probability of the new data given the old. `pause` is called now and
  // then, and may throw: what is then half learned is of no use.
  double learn_gaussian(const RowMat<S>& X, const Mat<S>& Y, double s2,
                        const std::function<void()>& pause = nullptr);
  // The same for points that come in parts: pass(take) calls take(X, Y) with each.
  using Take = std::function<void(const RowMat<S>& X, const Mat<S>& Y)>;
  double learn_gaussian(const std::function<void(const Take& take)>& pass, double s2,
                        const std::function<void()>& pause = nullptr);

  // Learns X with class targets Y (one-hot columns) under softmax. The Hessian of log-sum-exp is at
  // most lambda I with lambda = 1/2 (Bohning), so with f_i = W_i' mu
  //   F(mu) = sum_i ( y_i' f_i - logsumexp f_i - lambda/2 C var_i ) - KL[q || prior]
  // is a lower bound on the bound. Its best covariance is (Lambda + lambda W W')^-1, and it is
  // concave in mu (softmax_mean.h).
  // Returns F after each iteration, never falling; the last is the bound.
  std::vector<double> learn_softmax(const RowMat<S>& X, const Mat<S>& Y, double lambda,
                                    int max_iterations, double tolerance,
                                    const std::function<void()>& pause = nullptr);

  // mean [C, b] and, where asked for, var [1, b] at X [b, D]:
  //   mean = beta K(Z, X)      var = k - |W|^2 + |Lc^-1 W|^2,  W = L^-1 K(Z, X)
  // The mean takes n D operations a point, the variance n^2.
  void latent(const Mat<S>& X, Mat<S>& mean, Mat<S>* var) const;

  // L and what else follows from these is computed anew, by the same steps and to the same bits.
  template <class Archive>
  void fields(Archive& a) {
    a("theta", theta_);
    a("sizes", sizes_);
    a("Z", Z_);
    Vec<double> lower = Archive::kReads ? Vec<double>() : lower_precision();
    a("Lambda", lower);  // its lower triangle, row by row
    a("h", h_);
    a("mu", mu_);
    if constexpr (Archive::kReads) {
      if (sizes_.empty())
        return a.expect(n() == 0 && theta_.size() + lower.size() + h_.size() + mu_.size() == 0,
                        "nothing without sizes");
      a.expect(theta_.cols() == 1 && Z_.cols() > 0 && Z_.cols() == theta_.rows() - 1,
               "Z [n, D], theta [D + 1, 1]");
      Index sum = 0;
      for (const Index M : sizes_) {
        a.expect(M > 0 && M <= n() - sum, "sizes of the parts of Z");
        sum += M;
      }
      a.expect(sum == n() && lower.size() == n() * (n() + 1) / 2, "Lambda [n, n]");
      a.expect(C() > 0 && h_.rows() == n() && mu_.rows() == n() && mu_.cols() == C(),
               "h and mu [n, C]");
      derive(lower);
    }
  }

  Index n() const { return Z_.rows(); }
  Index C() const { return h_.cols(); }
  const Mat<S>& Z() const { return Z_; }
  const std::vector<Index>& sizes() const { return sizes_; }  // of what add_inducing was given
  const Mat<S>& theta() const { return theta_; }
  const Mat<double>& mu() const { return mu_; }
  const Mat<double>& Lambda() const { return Lambda_; }  // its lower triangle

 private:
  // Lambda += weight W W' (lower triangle), shift += weight W Y', and what the bound needs:
  // returns sum_i ( k - |W_i|^2 ). With keep, the W of every chunk is stored there.
  double accumulate(const RowMat<S>& X, const Mat<S>& Y, double weight, Mat<double>& shift,
                    std::vector<Mat<S>>* keep, const std::function<void()>& pause);
  Mat<S> whitened(const Mat<S>& X) const;
  void grow(const Mat<S>& Z_new);  // Z, and L by rows
  void factorise();                // Lambda = Lc Lc'
  void set_mu(Mat<double> mu);     // and beta
  Vec<double> lower_precision() const;
  void derive(const Vec<double>& lower);  // all that fields() does not list
  Mat<double> solve(const Mat<double>& B) const;
  double log_determinant() const { return 2 * Lc_.diagonal().array().log().sum(); }

  double jitter_ = 0;
  Mat<S> theta_, Z_;
  std::vector<Index> sizes_;
  Mat<double> L_;           // [n, n], of K
  Mat<double> Lambda_, h_;  // [n, n], [n, C]
  Mat<double> Lc_, mu_;     // derived: factor of Lambda, Lambda^-1 h
  Mat<S> L_s_, Lc_s_;       // the same, in the precision that data are worked on with
  Mat<S> beta_;             // [C, n], mu' L^-1
};

}  // namespace vargp
