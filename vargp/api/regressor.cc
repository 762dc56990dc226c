#include "vargp/api/regressor.h"

#include <algorithm>
#include <cmath>

#include "vargp/api/engine.h"
#include "vargp/core/error.h"
#include "vargp/io/safetensors.h"

namespace vargp {

Regressor::Regressor(const RegressorOptions& options)
    : center_(options.center), engine_(std::make_unique<Engine>(options, false)) {}

Regressor::Regressor(const Regressor& other)
    : center_(other.center_),
      shift_(other.shift_),
      factor_(other.factor_),
      engine_(std::make_unique<Engine>(*other.engine_)) {}

Regressor& Regressor::operator=(const Regressor& other) { return *this = Regressor(other); }

Regressor::Regressor(Regressor&&) noexcept = default;
Regressor& Regressor::operator=(Regressor&&) noexcept = default;
Regressor::~Regressor() = default;

LearnReport Regressor::learn(const Points& X, const Eigen::MatrixXd& Y,
                             const ProgressCallback& progress) {
  return learn(X, Y, Points(), Eigen::MatrixXd(0, Y.cols()),
               LearnHooks{progress, nullptr, nullptr});
}

LearnReport Regressor::learn(const Points& X, const Eigen::MatrixXd& Y, const Points& X_validation,
                             const Eigen::MatrixXd& Y_validation, const LearnHooks& hooks,
                             const Pass<Eigen::MatrixXd>& pass) {
  require(tasks() == 0 || Y.cols() == shift_.size(), "Y has {} columns, the tasks before had {}",
          Y.cols(), shift_.size());
  const auto check = [&](const char* name, const Points& points, const Eigen::MatrixXd& targets) {
    require(points.rows() == targets.rows(), "X{0} has {1} rows, Y{0} has {2}", name, points.rows(),
            targets.rows());
    require(targets.cols() > 0 && targets.cols() == Y.cols(), "Y{} has {} columns, expected {}",
            name, targets.cols(), std::max<Index>(Y.cols(), 1));
    for (Index i = 0; i < targets.rows(); ++i)
      for (Index j = 0; j < targets.cols(); ++j)
        require(std::isfinite(targets(i, j)),
                "Y{} has {} in row {}, column {} (counted from 0): every value must be a finite "
                "number",
                name, targets(i, j), i, j);
  };
  check("", X, Y);
  if (X_validation.rows() > 0) check("_validation", X_validation, Y_validation);
  Eigen::RowVectorXd shift = shift_, factor = factor_;
  if (tasks() == 0) {
    shift = Eigen::RowVectorXd::Zero(Y.cols());
    factor = Eigen::RowVectorXd::Ones(Y.cols());
    if (center_ && Y.rows() > 0) {
      shift = Y.colwise().mean();
      factor = ((Y.rowwise() - shift).colwise().squaredNorm() / static_cast<double>(Y.rows()))
                   .cwiseSqrt();
      require(factor.allFinite(), "Y has values up to {:g}: their deviation is not finite",
              Y.cwiseAbs().maxCoeff());
      for (double& f : factor)
        if (!(f > 0)) f = 1;  // a constant target
    }
  }
  const auto scaled = [&](const Eigen::MatrixXd& targets) -> Mat<double> {
    return ((targets.rowwise() - shift).array().rowwise() / factor.array()).matrix().transpose();
  };
  Pass<Mat<double>> encoded;
  if (pass)
    encoded = [&](const auto& take) {
      pass([&](const Points& part, const Eigen::MatrixXd& targets) {
        check(" of a part", part, targets);
        take(part, scaled(targets));
      });
    };
  const bool validated = X_validation.rows() > 0;
  LearnReport report = engine_->learn(
      X, scaled(Y), X_validation, validated ? scaled(Y_validation) : Mat<double>(), hooks, encoded);
  shift_ = shift;
  factor_ = factor;
  return report;
}

RegressionPrediction Regressor::predict(const Points& X) const {
  const Latent<double> f = engine_->predict(X);
  RegressionPrediction out;
  out.mean = (f.mean.transpose().array().rowwise() * factor_.array()).rowwise() + shift_.array();
  out.var = f.var.transpose().array().rowwise() * factor_.array().square();
  out.noise = noise();
  if (!out.mean.allFinite() || !out.var.allFinite() || !out.noise.allFinite())
    throw NumericalError("a prediction in the targets' units is not finite");
  return out;
}

Index Regressor::tasks() const { return engine_->tasks(); }
const EstimatorOptions& Regressor::options() const { return engine_->options(); }
Eigen::RowVectorXd Regressor::noise() const { return engine_->noise() * factor_.cwiseAbs2(); }
std::vector<Eigen::MatrixXd> Regressor::inducing_inputs() const {
  return engine_->inducing_inputs();
}
Theta Regressor::theta() const { return engine_->theta(); }
std::size_t Regressor::state_bytes() const { return engine_->state_bytes(); }

State Regressor::state() const {
  State state;
  engine_->write(state, "regressor", {{"center", center_}});
  StateWriter writer(state);
  writer("shift", Vec<double>(shift_));
  writer("factor", Vec<double>(factor_));
  return state;
}

Regressor Regressor::from(State& state, int threads) {
  bool center = true;
  Regressor out(RegressorOptions{options_of(state, "regressor", threads, "center", center)});
  out.center_ = center;
  StateReader reader(state);
  Vec<double> shift, factor;
  reader("shift", shift);
  reader("factor", factor);
  out.engine_->read(state);
  reader.expect(shift.size() == out.engine_->outputs() && factor.size() == shift.size(),
                "shift and factor, one for every target");
  reader.expect((factor.array() > 0).all(), "factors above 0");
  out.shift_ = shift.transpose();
  out.factor_ = factor.transpose();
  return out;
}

void Regressor::save(const std::filesystem::path& path) const { write_safetensors(path, state()); }

Regressor Regressor::load(const std::filesystem::path& path, int threads) {
  State state = read_safetensors(path);
  Regressor out = from(state, threads);
  StateReader(state).finish();
  return out;
}

}  // namespace vargp
