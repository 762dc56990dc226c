// A classifier that learns one data set after another and needs none of them again.
//
//   vargp::Classifier model;
//   model.learn(X1, y1);                       // task 1
//   model.learn(X2, y2);                       // task 2: perhaps other classes, other regions
//   auto p = model.predict(X);                 // p.probability [N, C], p.entropy [N], ...
//   model.save("model.vargp");                 // and Classifier::load, some other day
//
// Labels are whole numbers. The classes are given at the start (a single head of fixed size), or
// grow as they appear: then classes() lists them in the order of their columns.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "vargp/api/types.h"

namespace vargp {

class Engine;

struct ClassifierOptions : EstimatorOptions {
  std::vector<int> classes;  // empty: they grow as they appear
};

struct ClassPrediction {
  Eigen::MatrixXd probability;  // [N, C]
  std::vector<int> label;       // [N], the most probable class
  Eigen::VectorXd entropy;      // [N], in nats
  Eigen::MatrixXd mean, var;    // [N, C], of the latent functions
};

class Classifier {
 public:
  explicit Classifier(const ClassifierOptions& options = {});
  Classifier(const Classifier&);
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(const Classifier&);
  Classifier& operator=(Classifier&&) noexcept;
  ~Classifier();

  // Learns one task: X [N, D], y [N]. If anything goes wrong the model stays as it was.
  LearnReport learn(const Points& X, const std::vector<int>& y,
                    const ProgressCallback& progress = nullptr);
  // The same with validation data of the caller's. With a pass, classes that X and y are too small
  // a sample to show must be among those given at the start, or have been seen before.
  LearnReport learn(const Points& X, const std::vector<int>& y, const Points& X_validation,
                    const std::vector<int>& y_validation, const LearnHooks& hooks = {},
                    const Pass<std::vector<int>>& pass = nullptr);

  ClassPrediction predict(const Points& X) const;
  // Its probability [N, C] alone, to the same bits: with Gaussian labels far cheaper than the
  // variances.
  Eigen::MatrixXd probabilities(const Points& X) const;

  Index tasks() const;
  const EstimatorOptions& options() const;
  const std::vector<int>& classes() const { return classes_; }
  // Inducing inputs of each task [M, D]; log lengthscales and log scale with their deviations.
  std::vector<Eigen::MatrixXd> inducing_inputs() const;
  Theta theta() const;
  std::size_t state_bytes() const;

  // The file is replaced whole or not at all, and refused if a byte of it has changed. What was
  // loaded predicts and learns on with the same bits as what was saved.
  void save(const std::filesystem::path& path) const;
  static Classifier load(const std::filesystem::path& path, int threads = 0);
  // The same without a file; from() takes out of the state what it reads.
  State state() const;
  static Classifier from(State& state, int threads = 0);

 private:
  Mat<double> one_hot(const std::vector<int>& y, const std::vector<int>& classes) const;

  bool grows_;
  std::vector<int> classes_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace vargp
