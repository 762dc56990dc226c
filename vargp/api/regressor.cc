#include "vargp/api/regressor.h"

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
  require(X.rows() == Y.rows(), "X has {} rows, Y has {}", X.rows(), Y.rows());
  require(Y.cols() > 0, "Y has no columns");
  require(tasks() == 0 || Y.cols() == shift_.size(), "Y has {} columns, the tasks before had {}",
          Y.cols(), shift_.size());
  for (Index i = 0; i < Y.rows(); ++i)
    for (Index j = 0; j < Y.cols(); ++j)
      require(std::isfinite(Y(i, j)),
              "Y has {} in row {}, column {} (counted from 0): every value must be a finite number",
              Y(i, j), i, j);
  Eigen::RowVectorXd shift = shift_, factor = factor_;
  if (tasks() == 0) {
    shift = Eigen::RowVectorXd::Zero(Y.cols());
    factor = Eigen::RowVectorXd::Ones(Y.cols());
    if (center_ && Y.rows() > 0) {
      shift = Y.colwise().mean();
      factor = ((Y.rowwise() - shift).colwise().squaredNorm() / static_cast<double>(Y.rows()))
                   .cwiseSqrt();
      for (double& f : factor)
        if (!(f > 0)) f = 1;  // a constant target
    }
  }
  const Mat<double> scaled =
      ((Y.rowwise() - shift).array().rowwise() / factor.array()).matrix().transpose();
  LearnReport report =
      engine_->learn(X, scaled, Points(), Mat<double>(), {progress, nullptr, nullptr});
  shift_ = shift;
  factor_ = factor;
  return report;
}

RegressionPrediction Regressor::predict(const Points& X) const {
  const Latent<double> f = engine_->predict(X);
  RegressionPrediction out;
  out.mean = (f.mean.transpose().array().rowwise() * factor_.array()).rowwise() + shift_.array();
  out.var = f.var.transpose().array().rowwise() * factor_.array().square();
  out.noise = engine_->noise() * factor_.cwiseAbs2();
  return out;
}

Index Regressor::tasks() const { return engine_->tasks(); }
std::vector<Eigen::MatrixXd> Regressor::inducing_inputs() const {
  return engine_->inducing_inputs();
}
Theta Regressor::theta() const { return engine_->theta(); }
std::size_t Regressor::state_bytes() const { return engine_->state_bytes(); }

void Regressor::save(const std::filesystem::path& path) const {
  State state;
  engine_->write(state, "regressor", {{"center", center_}});
  StateWriter writer(state);
  writer("shift", Vec<double>(shift_));
  writer("factor", Vec<double>(factor_));
  write_safetensors(path, state);
}

Regressor Regressor::load(const std::filesystem::path& path, int threads) {
  State state = read_safetensors(path);
  nlohmann::json more;
  Regressor out(RegressorOptions{options_of(state, "regressor", threads, more)});
  out.center_ = more.value("center", true);
  StateReader reader(state);
  Vec<double> shift, factor;
  reader("shift", shift);
  reader("factor", factor);
  out.engine_->read(state);
  reader.expect(shift.size() == out.engine_->outputs() && factor.size() == shift.size(),
                "shift and factor, one for every target");
  reader.finish();
  out.shift_ = shift.transpose();
  out.factor_ = factor.transpose();
  return out;
}

}  // namespace vargp
