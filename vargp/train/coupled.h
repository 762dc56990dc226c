// Our own model: the coupled posterior (posterior/coupled.h) over inducing inputs that grow with
// every task. theta and the noise are learned on the first task, by the collapsed bound, and stay.
#pragma once

#include <memory>
#include <vector>

#include "vargp/likelihoods/label_link.h"
#include "vargp/models/model.h"
#include "vargp/posterior/coupled.h"

namespace vargp {

template <class S>
class Coupled final : public Model<S> {
 public:
  Coupled(const Options& options, bool classification);

  LearnReport learn(const TaskData<S>& task, const LearnHooks& hooks) override;
  Latent<S> predict(const RowMat<S>& X, bool with_var) const override {
    return predict_with(q_, X, with_var);
  }

  Index outputs() const override { return q_.C(); }
  double noise() const override;
  std::vector<Mat<S>> inducing_inputs() const override;
  void theta(Mat<S>& mean, Mat<S>& deviation) const override;
  std::size_t state_bytes() const override;
  std::unique_ptr<Model<S>> clone() const override { return std::make_unique<Coupled>(*this); }

  void write(StateWriter& writer) const override;
  void read(StateReader& reader) override;

  template <class Archive>
  void fields(Archive& a) {
    a("q", q_);
    a("s2", s2_);
    a("link", link_);
    a("deviation", deviation_);
    a.expect(s2_ > 0, "s2 above 0");
    a.expect(deviation_.rows() == q_.theta().rows() && deviation_.cols() == q_.theta().cols() &&
                 (deviation_.array() >= 0).all(),
             "a deviation, 0 or above, for every part of theta");
  }

  const CoupledPosterior<S>& posterior() const { return q_; }

 private:
  Latent<S> predict_with(const CoupledPosterior<S>& q, const RowMat<S>& X, bool with_var) const;

  Options options_;
  bool classification_;
  CoupledPosterior<S> q_;
  double s2_ = 0;
  Mat<S> deviation_;  // [D + 1, 1] of theta, where it was learned
  LabelLink link_;
};

}  // namespace vargp
