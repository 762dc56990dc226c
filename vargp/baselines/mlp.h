// A network with point weights, and what may keep it from forgetting: a penalty (ewc, si), raw rows
// of old tasks mixed into every batch (replay), or nothing (fine-tune; joint, which is given one
// task with everything in it).
#pragma once

#include "vargp/baselines/kept_rows.h"
#include "vargp/baselines/learner.h"
#include "vargp/baselines/options.h"
#include "vargp/baselines/penalty.h"

namespace vargp {

class Mlp final : public Learner {
 public:
  Mlp(const BaselineOptions& options, Index D, int C, int threads);

  LearnReport learn(const Dataset& train, const Dataset& validation,
                    const LearnHooks& hooks) override;
  Mat<double> probabilities(const RowMat<float>& X, Index task) const override;
  Index tasks() const override { return tasks_; }
  Index raw_rows() const override;
  std::size_t state_bytes() const override { return bytes_of(state()); }
  State state() const override;
  void read(State& state) override;

  template <class Archive>
  void fields(Archive& a) {
    a("tasks", tasks_);
    a("body", body_);
    a("heads", heads_);
    a("penalty", penalty_);
    a("buffer", buffer_);
    a.expect(tasks_ >= 0, "tasks not below 0");
  }

 private:
  struct Moving;

  // The last layer, and the classes that its rows stand for.
  struct Head {
    std::vector<Index> classes;
    Mat<float> W;

    template <class Archive>
    void fields(Archive& a) {
      a("classes", classes);
      a("W", W);
      a.expect(std::ssize(classes) == W.rows(), "a row for every class");
    }
  };

  Head start_head(const std::vector<Index>& classes, Index task) const;
  Head head_for(const Dataset& train) const;  // that the next task will learn
  Mat<double> probabilities_of(const Weights<float>& W, const std::vector<Index>& classes,
                               const RowMat<float>& X) const;
  QuadraticPenalty penalty_after(const Moving& moving, const Dataset& train) const;
  std::vector<KeptRows> buffer_after(const Dataset& train) const;

  BaselineOptions o_;
  Index D_;
  int C_, threads_;
  Index tasks_ = 0;
  Weights<float> body_;      // the hidden layers
  std::vector<Head> heads_;  // one, or one a task
  QuadraticPenalty penalty_;
  std::vector<KeptRows> buffer_;  // of each task, in random order
};

}  // namespace vargp
