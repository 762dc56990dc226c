// Variational continual learning (Nguyen et al. 2018) with the improvements of Swaroop et al.
// (2019): independent Gaussians over all weights of a network with a single head; the last task's
// posterior is the next one's prior.
//
//   q_t = argmin  KL[ q || q_{t-1} ] - sum_i E_q log p(y_i | x_i, w),     q_0 = N(0,
//   prior_variance)
//
// Layers are drawn by local reparametrisation, variances start small (so that means are first
// learned as in a plain network) and are given the steps to grow where the task needs no weight.
// Means and variances of a later task start where the last one's ended. With decay, steps get
// shorter towards the end of a task, down to nothing: what a step of full length does to a weight
// that an old task holds firmly is noise.
//
// With a coreset some rows of each task are kept out of its training data. Before prediction q_t is
// taken as the prior once more and all kept rows are learned from; the result predicts and is not
// carried on to the next task.
#pragma once

#include "vargp/baselines/kept_rows.h"
#include "vargp/baselines/learner.h"
#include "vargp/baselines/network.h"
#include "vargp/baselines/options.h"

namespace vargp {

// q: mean and log variance of every weight.
struct GaussianWeights {
  Weights<float> mean, logvar;

  template <class Archive>
  void fields(Archive& a) {
    a("mean", mean);
    a("logvar", logvar);
    a.expect(mean.size() == logvar.size(), "as many layers of mean as of logvar");
  }
};

class Vcl final : public Learner {
 public:
  Vcl(const BaselineOptions& options, Index D, int C, int threads);

  LearnReport learn(const Dataset& train, const Dataset& validation,
                    const LearnHooks& hooks) override;
  Mat<double> probabilities(const RowMat<float>& X, Index task) const override;
  Index tasks() const override { return tasks_; }
  Index raw_rows() const override;
  std::size_t state_bytes() const override { return bytes_of(state()); }
  State state() const override;
  void read(State& state) override;

  const GaussianWeights& posterior() const { return q_; }
  const std::vector<KeptRows>& coresets() const { return coresets_; }

  template <class Archive>
  void fields(Archive& a) {
    a("tasks", tasks_);
    a("q", q_);
    a("coresets", coresets_);
    a("predicts", predicts_);
    a.expect(tasks_ >= 0, "tasks not below 0");
  }

 private:
  struct Moving;

  // Averaged over so many networks.
  Mat<double> probabilities_of(const GaussianWeights& q, const RowMat<float>& X, Index draws) const;

  BaselineOptions o_;
  int C_, threads_;
  Index D_, tasks_ = 0;
  GaussianWeights q_;                      // the posterior; before the first task, where it starts
  std::vector<KeptRows> coresets_;         // of each task
  std::vector<GaussianWeights> predicts_;  // with a coreset, the one that predicts
};

}  // namespace vargp
