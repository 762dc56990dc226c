// A regressor that learns one data set after another, for one target or several.
//
//   vargp::Regressor model;
//   model.learn(X1, Y1);             // X [N, D], Y [N, targets]
//   model.learn(X2, Y2);
//   auto p = model.predict(X);       // p.mean, p.var [N, targets]; with noise: p.var + p.noise
//   model.save("model.vargp");       // and Regressor::load, some other day
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "vargp/api/types.h"

namespace vargp {

class Engine;

struct RegressorOptions : EstimatorOptions {
  bool center = true;  // targets are shifted and scaled by the first task's mean and deviation
};

struct RegressionPrediction {
  Eigen::MatrixXd mean, var;  // [N, targets], of the function itself
  Eigen::RowVectorXd noise;   // [targets], variance of what is observed around it
};

class Regressor {
 public:
  explicit Regressor(const RegressorOptions& options = {});
  Regressor(const Regressor&);
  Regressor(Regressor&&) noexcept;
  Regressor& operator=(const Regressor&);
  Regressor& operator=(Regressor&&) noexcept;
  ~Regressor();

  // Learns one task: X [N, D], Y [N, targets]. If anything goes wrong the model stays as it was.
  LearnReport learn(const Points& X, const Eigen::MatrixXd& Y,
                    const ProgressCallback& progress = nullptr);
  // The same with validation data of the caller's.
  LearnReport learn(const Points& X, const Eigen::MatrixXd& Y, const Points& X_validation,
                    const Eigen::MatrixXd& Y_validation, const LearnHooks& hooks = {},
                    const Pass<Eigen::MatrixXd>& pass = nullptr);
  RegressionPrediction predict(const Points& X) const;

  Index tasks() const;
  const EstimatorOptions& options() const;
  const Eigen::RowVectorXd& target_deviation() const { return factor_; }  // 1 without centering
  Eigen::RowVectorXd noise() const;                                       // [targets], variance
  std::vector<Eigen::MatrixXd> inducing_inputs() const;
  Theta theta() const;
  std::size_t state_bytes() const;

  // The file is replaced whole or not at all, and refused if a byte of it has changed. What was
  // loaded predicts and learns on with the same bits as what was saved.
  void save(const std::filesystem::path& path) const;
  static Regressor load(const std::filesystem::path& path, int threads = 0);
  // The same without a file; from() takes out of the state what it reads.
  State state() const;
  static Regressor from(State& state, int threads = 0);

 private:
  bool center_;
  Eigen::RowVectorXd shift_, factor_;  // [targets]
  std::unique_ptr<Engine> engine_;
};

}  // namespace vargp
