// The cheap rival: random features of the RBF kernel (Rahimi and Recht 2007) and sums over them
// that do not depend on the order of the data, so nothing can be forgotten and no row is kept. The
// price is m^2 numbers of state. The features come from the seed.
//
//   phi(x) = sqrt(2/m) cos(Omega x + b),  Omega ~ N(0, 1/lengthscale^2), b ~ U[0, 2 pi):
//            phi(x)'phi(x') is about k(x, x')
//   G = sum phi phi' [m, m],   H = sum phi y' [m, C],   n_c points of class c, n in all
//
//   ridge  weights = (G + ridge I)^-1 H,   p = softmax(a weights' phi), a from validation data
//   lda    mu_c = H_c / n_c,   A = G - sum_c n_c mu_c mu_c' + ridge I,   w_c = n A^-1 mu_c,
//          p = softmax( w_c'phi - 1/2 w_c'mu_c + log n_c/n ) over the classes seen
#pragma once

#include "vargp/baselines/learner.h"
#include "vargp/baselines/options.h"
#include "vargp/likelihoods/label_link.h"

namespace vargp {

class RandomFeatures final : public Learner {
 public:
  RandomFeatures(const BaselineOptions& options, Index D, int C, int threads);

  LearnReport learn(const Dataset& train, const Dataset& validation,
                    const LearnHooks& hooks) override;
  Mat<double> probabilities(const RowMat<float>& X, Index task) const override;
  Index tasks() const override { return tasks_; }
  Index raw_rows() const override { return 0; }
  std::size_t state_bytes() const override { return bytes_of(state()); }
  State state() const override;
  void read(State& state) override;

  template <class Archive>
  void fields(Archive& a) {
    a("tasks", tasks_);
    a("lengthscale", lengthscale_);
    a("G", G_);
    a("H", H_);
    a("counts", counts_);
    a("weights", weights_);
    a("shift", shift_);
    a("link", link_);
    a.expect(tasks_ >= 0 && lengthscale_ >= 0, "tasks and lengthscale not below 0");
  }

 private:
  void draw_features();
  Mat<float> phi(const Mat<float>& X) const;                   // [m, b] of X [b, D]
  Mat<float> scores(const Mat<float>& X) const;                // [C, b]
  Mat<double> probabilities_of(const RowMat<float>& X) const;  // [N, C]
  void solve();

  BaselineOptions o_;
  Index D_, tasks_ = 0;
  int C_, threads_;
  double lengthscale_ = 0;  // chosen with the first task
  Mat<float> omega_;        // [m, D]
  Vec<float> phase_;        // [m]
  Mat<float> G_, H_;        // G: its lower triangle
  Mat<float> counts_;       // [C, 1]
  Mat<float> weights_;      // [C, m]
  Mat<float> shift_;        // [C, 1]
  LabelLink link_;
};

}  // namespace vargp
