// What Classifier and Regressor have in common, in either precision. Not part of the interface.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "vargp/api/types.h"
#include "vargp/io/state.h"
#include "vargp/models/model.h"

namespace vargp {

class Engine {
 public:
  Engine(const EstimatorOptions& options, bool classification);
  Engine(const Engine& other);
  Engine& operator=(const Engine&) = delete;

  // Y [C, N]. Without validation points a share of X is held out for them, unless there is a pass.
  LearnReport learn(const Points& X, const Mat<double>& Y, const Points& X_validation,
                    const Mat<double>& Y_validation, const LearnHooks& hooks,
                    const Pass<Mat<double>>& pass = nullptr);
  Latent<double> predict(const Points& X, bool with_var = true) const;  // [C, N]

  const EstimatorOptions& options() const { return options_; }
  Index tasks() const { return tasks_; }
  Index outputs() const;
  double noise() const;
  std::vector<Eigen::MatrixXd> inducing_inputs() const;
  Theta theta() const;
  std::size_t state_bytes() const;

  // The options as text and what was learned as tensors; `kind` is classifier or regressor. What
  // is written by one is read by an Engine of the same options: options_of gives them.
  void write(State& state, const std::string& kind, nlohmann::ordered_json more) const;
  void read(State& state);

 private:
  template <class S>
  LearnReport learn_as(Model<S>& model, const Points& X, const Mat<double>& Y,
                       const Points& X_validation, const Mat<double>& Y_validation,
                       const LearnHooks& hooks, const Pass<Mat<double>>& pass);

  EstimatorOptions options_;
  std::variant<std::unique_ptr<Model<float>>, std::unique_ptr<Model<double>>> model_;
  Index tasks_ = 0, D_ = 0;
};

// The options in a state of this kind, and the flag that this kind alone has.
EstimatorOptions options_of(const State& state, const std::string& kind, int threads,
                            const char* flag, bool& on);

}  // namespace vargp
