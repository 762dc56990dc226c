// The paper's model and its variants (models/variant.h): a chain of blocks, q(theta) carried from
// task to task. Algorithm 1 with mini-batches; q(u_t) by natural gradients or, as in the paper, by
// the optimizer that moves everything else.
#pragma once

#include <memory>
#include <vector>

#include "vargp/likelihoods/label_link.h"
#include "vargp/models/hyper.h"
#include "vargp/models/model.h"
#include "vargp/models/predictor.h"
#include "vargp/train/task_learner.h"

namespace vargp {

template <class S>
class VarGp final : public Model<S> {
 public:
  VarGp(const Options& options, bool classification);

  LearnReport learn(const TaskData<S>& task, const LearnHooks& hooks) override;
  Latent<S> predict(const RowMat<S>& X, bool with_var) const override;

  Index outputs() const override { return groups_.C; }
  double noise() const override;
  std::vector<Mat<S>> inducing_inputs() const override;
  void theta(Mat<S>& mean, Mat<S>& deviation) const override;
  std::size_t state_bytes() const override;
  std::unique_ptr<Model<S>> clone() const override { return std::make_unique<VarGp>(*this); }

  void write(StateWriter& writer) const override;
  void read(StateReader& reader) override;

  template <class Archive>
  void fields(Archive& a) {
    a("outputs", groups_.C);
    a("tasks", tasks_);
    a("blocks", blocks_);
    if (!blocks_.empty()) a("carried", carried_);
    a("link", link_);
  }

  const std::vector<InducingBlock<S>>& blocks() const { return blocks_; }
  const Carried<S>& carried() const { return carried_; }

 private:
  std::vector<Mat<S>> predictive_thetas(const HyperPosterior<S>& hyper, Index D) const;
  std::shared_ptr<const ChainPredictor<S>> predictor_of(const std::vector<InducingBlock<S>>& blocks,
                                                        const Groups& groups,
                                                        const Carried<S>& carried) const;
  Latent<S> predict_with(const ChainPredictor<S>& predictor, const Groups& groups,
                         const RowMat<S>& X) const;

  Options options_;
  bool classification_;
  Index D_ = 0, tasks_ = 0;
  Groups groups_;
  std::vector<InducingBlock<S>> blocks_;
  Carried<S> carried_;
  LabelLink link_;
  std::shared_ptr<const ChainPredictor<S>> predictor_;
};

}  // namespace vargp
