// One task while it is being learned: its parameters, and how one mini-batch moves them. q(u_t)
// goes by natural gradients or with the optimizer; Z, q(theta) and the noise with the optimizer.
#pragma once

#include <memory>
#include <vector>

#include "vargp/likelihoods/likelihood.h"
#include "vargp/models/hyper.h"
#include "vargp/models/options.h"
#include "vargp/optim/natural.h"
#include "vargp/optim/optimizer.h"
#include "vargp/posterior/block.h"

namespace vargp {

// What is carried from one task to the next, besides the frozen blocks.
template <class S>
struct Carried {
  HyperPosterior<S> hyper;
  Mat<S> log_noise;  // [1, 1]

  template <class Archive>
  void fields(Archive& a) {
    a("hyper", hyper);
    a("log_noise", log_noise);
    a.expect(log_noise.size() == 1, "one log_noise");
  }
};

// The first task's start.
template <class S>
Carried<S> first_start(const RowMat<S>& X, const Options& options);

template <class S>
class TaskLearner {
 public:
  struct Values {
    double bound = 0, ell = 0, kl_u = 0, kl_hyper = 0;
  };

  // Task t = frozen.size(), with points X [N, D] and targets Y [C, N]. All must outlive this.
  TaskLearner(const Options& options, const std::vector<InducingBlock<S>>& frozen,
              const Carried<S>& start, const HyperPosterior<S>& prior, const RowMat<S>& X,
              const Mat<S>& Y);

  // One step on the mini-batch with these rows of X; the bound before it. A NumericalError names
  // the step.
  Values step(const Index* rows, Index count);

  // The task's block as it would be frozen now.
  InducingBlock<S> block() const;
  const Carried<S>& carried() const { return carried_; }
  const Groups& groups() const { return groups_; }

  // Read by a learner of the same task, it goes on as this one would.
  template <class Archive>
  void fields(Archive& a) {
    a("step", step_);
    a("Z", Z_);
    a("m", m_);
    a("Ls", Ls_);
    a("natural", natural_);
    a("packed", packed_);
    a("carried", carried_);
    a("optimizer", optimizer_);
  }

 private:
  Values move(const Index* rows, Index count);

  const Options& o_;
  const std::vector<InducingBlock<S>>& frozen_;
  const HyperPosterior<S> prior_;
  const RowMat<S>& X_;
  const Mat<S>& Y_;
  Groups groups_;
  std::unique_ptr<Likelihood<S>> likelihood_;
  Index step_ = 0;

  std::vector<Mat<S>> Z_;                   // one per group
  Mat<S> m_;                                // [M, C]
  std::vector<Mat<S>> Ls_;                  // [M, M] each, by natural gradients
  std::vector<NaturalParameters> natural_;  // of each output
  std::vector<Mat<S>> packed_;              // or [M(M+1)/2, 1] each, by the optimizer
  Carried<S> carried_;
  Optimizer<S> optimizer_;
};

}  // namespace vargp
