// One task while it is being learned: its parameters, and how one mini-batch moves them. q(u_t)
// goes by natural gradients or with the optimizer; Z, q(theta), phi and the noise with the
// optimizer.
#pragma once

#include <memory>
#include <vector>

#include "vargp/likelihoods/likelihood.h"
#include "vargp/models/bound.h"
#include "vargp/models/hyper.h"
#include "vargp/models/options.h"
#include "vargp/optim/natural.h"
#include "vargp/optim/optimizer.h"
#include "vargp/posterior/block.h"
#include "vargp/train/moving.h"

namespace vargp {

// What is carried from one task to the next, besides the blocks.
template <class S>
struct Carried {
  HyperPosterior<S> hyper;
  Mat<S> log_noise;         // [1, 1]
  std::vector<Mat<S>> phi;  // of a deep kernel

  template <class Archive>
  void fields(Archive& a) {
    a("hyper", hyper);
    a("log_noise", log_noise);
    a("phi", phi);
    a.expect(log_noise.size() == 1, "one log_noise");
  }
};

// The first task's start.
template <class S>
Carried<S> first_start(const RowMat<S>& X, const Options& options);

// A block while it moves.
template <class S>
struct FreeBlock {
  std::vector<Mat<S>> Z;                   // one per group
  Mat<S> m;                                // [M, C]
  std::vector<Mat<S>> Ls;                  // [M, M] each, by natural gradients
  std::vector<NaturalParameters> natural;  // of each output
  std::vector<Mat<S>> packed;              // or [M(M+1)/2, 1] each, by the optimizer

  // As it would be frozen now, and on the tape of a step.
  InducingBlock<S> block() const;
  BlockEntry<S> enter(Moving<S>& moving, bool moves_Z);

  template <class Archive>
  void fields(Archive& a) {
    a("Z", Z);
    a("m", m);
    a("Ls", Ls);
    a("natural", natural);
    a("packed", packed);
  }
};

template <class S>
class TaskLearner {
 public:
  struct Values {
    double bound = 0, ell = 0, kl_u = 0, kl_hyper = 0;
  };

  // Task t (from 0), with points X [N, D] and targets Y [C, N]; old: the blocks that the task
  // before left. All must outlive this.
  TaskLearner(const Options& options, Index t, const std::vector<InducingBlock<S>>& old,
              const Carried<S>& start, const HyperPosterior<S>& prior, const RowMat<S>& X,
              const Mat<S>& Y);

  // One step on the mini-batch with these rows of X; the bound before it. A NumericalError names
  // the step.
  Values step(const Index* rows, Index count);

  // The blocks of the posterior as it is now, oldest first.
  std::vector<InducingBlock<S>> blocks() const;
  const Carried<S>& carried() const { return carried_; }
  const Groups& groups() const { return groups_; }

  // Read by a learner of the same task, it goes on as this one would.
  template <class Archive>
  void fields(Archive& a) {
    a("step", step_);
    a("own", own_);
    a("moving", moving_);
    a("carried", carried_);
    a("optimizer", optimizer_);
  }

 private:
  Values move(const Index* rows, Index count);

  const Options& o_;
  const Variant variant_;
  const Index t_;
  const std::vector<InducingBlock<S>>& old_;
  const HyperPosterior<S> prior_;
  const RowMat<S>& X_;
  const Mat<S>& Y_;
  Groups groups_;
  std::unique_ptr<Likelihood<S>> likelihood_;
  std::vector<Mat<S>> old_features_;  // g_phi(Z) of the old blocks at the start
  Index step_ = 0;

  FreeBlock<S> own_;
  std::vector<FreeBlock<S>> moving_;  // the old blocks, where they move
  Carried<S> carried_;
  Optimizer<S> optimizer_;
};

}  // namespace vargp
