#include "vargp/api/classifier.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vargp/api/engine.h"
#include "vargp/core/error.h"
#include "vargp/io/safetensors.h"

namespace vargp {

Classifier::Classifier(const ClassifierOptions& options)
    : grows_(options.classes.empty()),
      classes_(options.classes),
      engine_(std::make_unique<Engine>(options, true)) {
  auto sorted = classes_;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  require(twice == sorted.end(), "classes: {} is listed twice", twice == sorted.end() ? 0 : *twice);
}

Classifier::Classifier(const Classifier& other)
    : grows_(other.grows_),
      classes_(other.classes_),
      engine_(std::make_unique<Engine>(*other.engine_)) {}

Classifier& Classifier::operator=(const Classifier& other) { return *this = Classifier(other); }

Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;
Classifier::~Classifier() = default;

LearnReport Classifier::learn(const Points& X, const std::vector<int>& y,
                              const ProgressCallback& progress) {
  return learn(X, y, Points(), {}, LearnHooks{progress, nullptr, nullptr});
}

LearnReport Classifier::learn(const Points& X, const std::vector<int>& y,
                              const Points& X_validation, const std::vector<int>& y_validation,
                              const LearnHooks& hooks, const Pass<std::vector<int>>& pass) {
  require(X.rows() == static_cast<Index>(y.size()), "X has {} rows, y has {} labels", X.rows(),
          y.size());
  require(X_validation.rows() == static_cast<Index>(y_validation.size()),
          "X_validation has {} rows, y_validation has {} labels", X_validation.rows(),
          y_validation.size());
  std::vector<int> classes = classes_;
  if (grows_) {
    std::vector<int> present = y;
    std::sort(present.begin(), present.end());
    for (const int label : present)
      if (std::find(classes.begin(), classes.end(), label) == classes.end())
        classes.push_back(label);
  }
  Pass<Mat<double>> encoded;
  if (pass)
    encoded = [&](const auto& take) {
      pass([&](const Points& part, const std::vector<int>& labels) {
        require(part.rows() == std::ssize(labels), "a part has {} rows and {} labels", part.rows(),
                labels.size());
        take(part, one_hot(labels, classes));
      });
    };
  LearnReport report = engine_->learn(X, one_hot(y, classes), X_validation,
                                      one_hot(y_validation, classes), hooks, encoded);
  classes_ = std::move(classes);
  return report;
}

Mat<double> Classifier::one_hot(const std::vector<int>& y, const std::vector<int>& classes) const {
  Mat<double> Y =
      Mat<double>::Zero(static_cast<Index>(classes.size()), static_cast<Index>(y.size()));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto found = std::find(classes.begin(), classes.end(), y[i]);
    require(found != classes.end(),
            "y has the label {} in row {} (counted from 0), which is none of "
            "the {} classes",
            y[i], i, classes.size());
    Y(found - classes.begin(), static_cast<Index>(i)) = 1;
  }
  return Y;
}

ClassPrediction Classifier::predict(const Points& X) const {
  const Latent<double> f = engine_->predict(X);
  ClassPrediction out;
  out.probability = f.probability.transpose();
  out.mean = f.mean.transpose();
  out.var = f.var.transpose();
  out.entropy.resize(X.rows());
  out.label.resize(static_cast<std::size_t>(X.rows()));
  for (Index i = 0; i < X.rows(); ++i) {
    Index best = 0;
    out.probability.row(i).maxCoeff(&best);
    out.label[static_cast<std::size_t>(i)] = classes_[static_cast<std::size_t>(best)];
    double entropy = 0;
    for (Index c = 0; c < out.probability.cols(); ++c)
      if (const double p = out.probability(i, c); p > 0) entropy -= p * std::log(p);
    out.entropy(i) = entropy;
  }
  return out;
}

Eigen::MatrixXd Classifier::probabilities(const Points& X) const {
  return engine_->predict(X, false).probability.transpose();
}

Index Classifier::tasks() const { return engine_->tasks(); }
const EstimatorOptions& Classifier::options() const { return engine_->options(); }
std::vector<Eigen::MatrixXd> Classifier::inducing_inputs() const {
  return engine_->inducing_inputs();
}
Theta Classifier::theta() const { return engine_->theta(); }
std::size_t Classifier::state_bytes() const { return engine_->state_bytes(); }

State Classifier::state() const {
  State state;
  engine_->write(state, "classifier", {{"grows", grows_}});
  StateWriter writer(state);
  writer("classes", std::vector<Index>(classes_.begin(), classes_.end()));
  return state;
}

Classifier Classifier::from(State& state, int threads) {
  bool grows = true;
  Classifier out(ClassifierOptions{options_of(state, "classifier", threads, "grows", grows), {}});
  StateReader reader(state);
  std::vector<Index> classes;
  reader("classes", classes);
  for (const Index label : classes) {
    reader.expect(std::in_range<int>(label), "classes that are whole numbers of 32 bits");
    out.classes_.push_back(static_cast<int>(label));
  }
  std::sort(classes.begin(), classes.end());
  reader.expect(std::adjacent_find(classes.begin(), classes.end()) == classes.end(),
                "classes, each once");
  out.grows_ = grows;
  out.engine_->read(state);
  reader.expect(out.tasks() == 0 || std::ssize(classes) == out.engine_->outputs(),
                "classes, one for every output");
  return out;
}

void Classifier::save(const std::filesystem::path& path) const { write_safetensors(path, state()); }

Classifier Classifier::load(const std::filesystem::path& path, int threads) {
  State state = read_safetensors(path);
  Classifier out = from(state, threads);
  StateReader(state).finish();
  return out;
}

}  // namespace vargp
