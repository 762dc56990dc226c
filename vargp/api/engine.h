// What Classifier and Regressor have in common, in either precision. Not part of the interface.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "vargp/api/types.h"
#include "vargp/models/model.h"

namespace vargp {

class Engine {
 public:
  Engine(const EstimatorOptions& options, bool classification);
  Engine(const Engine& other);
  Engine& operator=(const Engine&) = delete;

  // Y [C, N]. Without validation points a share of X is held out for them.
  LearnReport learn(const Points& X, const Mat<double>& Y, const Points& X_validation,
                    const Mat<double>& Y_validation, const ProgressCallback& progress);
  Latent<double> predict(const Points& X) const;  // [C, N]

  const EstimatorOptions& options() const { return options_; }
  Index tasks() const { return tasks_; }
  Index outputs() const;
  double noise() const;
  std::vector<Eigen::MatrixXd> inducing_inputs() const;
  Theta theta() const;
  std::size_t state_bytes() const;

 private:
  template <class S>
  LearnReport learn_as(Model<S>& model, const Points& X, const Mat<double>& Y,
                       const Points& X_validation, const Mat<double>& Y_validation,
                       const ProgressCallback& progress);

  EstimatorOptions options_;
  std::variant<std::unique_ptr<Model<float>>, std::unique_ptr<Model<double>>> model_;
  Index tasks_ = 0, D_ = 0;
};

}  // namespace vargp
