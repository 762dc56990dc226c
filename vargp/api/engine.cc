#include "vargp/api/engine.h"

#include <algorithm>
#include <cmath>

#include "vargp/core/error.h"
#include "vargp/core/parallel.h"
#include "vargp/core/random.h"
#include "vargp/models/settings.h"
#include "vargp/models/variant.h"
#include "vargp/train/make_model.h"

namespace vargp {
namespace {

// Every number must be one; the first that is not is named.
template <class S>
void check_finite(const RowMat<S>& X) {
  if (X.allFinite()) return;
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.cols(); ++j)
      if (!std::isfinite(X(i, j)))
        fail("X has {} in row {}, column {} (counted from 0): every value must be a finite number",
             static_cast<double>(X(i, j)), i, j);
}

// So must every number that is answered: a model or a point may be far beyond all precision.
void check_finite(const Latent<double>& f) {
  for (const Mat<double>* part : {&f.mean, &f.var, &f.probability})
    for (Index i = 0; i < part->cols(); ++i)
      if (!part->col(i).allFinite())
        throw NumericalError(
            fmt::format("the prediction for row {} (counted from 0) is not finite", i));
}

}  // namespace

void EstimatorOptions::validate() const {
  Options::validate();
  require(threads >= 0, "threads = {}: must be 0 (all cores) or above", threads);
  require(validation >= 0 && validation < 1, "validation = {:g}: must be in [0, 1)", validation);
}

Engine::Engine(const EstimatorOptions& options, bool classification) : options_(options) {
  options_.validate();
  if (options_.precision == Precision::kFloat)
    model_ = make_model<float>(options_, classification);
  else
    model_ = make_model<double>(options_, classification);
}

Engine::Engine(const Engine& other) : options_(other.options_), tasks_(other.tasks_), D_(other.D_) {
  std::visit([&](const auto& model) { model_ = model->clone(); }, other.model_);
}

LearnReport Engine::learn(const Points& X, const Mat<double>& Y, const Points& X_validation,
                          const Mat<double>& Y_validation, const LearnHooks& hooks,
                          const Pass<Mat<double>>& pass) {
  require(X.rows() > 0, "X has no rows: a task needs at least one");
  require(X.cols() > 0, "X has no columns");
  require(D_ == 0 || X.cols() == D_, "X has {} columns, the tasks before had {}", X.cols(), D_);
  require(X_validation.rows() == 0 || X_validation.cols() == X.cols(),
          "X_validation has {} columns, X has {}", X_validation.cols(), X.cols());
  LearnReport report;
  with_threads(options_.threads, [&] {
    std::visit(
        [&](auto& model) {
          report = learn_as(*model, X, Y, X_validation, Y_validation, hooks, pass);
        },
        model_);
  });
  ++tasks_;
  D_ = X.cols();
  return report;
}

template <class S>
LearnReport Engine::learn_as(Model<S>& model, const Points& X, const Mat<double>& Y,
                             const Points& X_validation, const Mat<double>& Y_validation,
                             const LearnHooks& hooks, const Pass<Mat<double>>& pass) {
  TaskData<S> task{X.as<S>(), Y.cast<S>(), {}, {}};
  check_finite(task.X);
  if (X_validation.rows() > 0) {
    task.X_validation = X_validation.as<S>();
    task.Y_validation = Y_validation.cast<S>();
    check_finite(task.X_validation);
  } else if (const auto held =
                 static_cast<Index>(options_.validation * static_cast<double>(X.rows()));
             held > 0 && !pass) {
    const auto order =
        Random(options_.seed, Purpose::kValidationSplit, tasks_).permutation(X.rows());
    const std::vector<Index> out(order.begin(), order.begin() + held);
    std::vector<Index> in(order.begin() + held, order.end());
    std::sort(in.begin(), in.end());
    const TaskData<S> all = std::move(task);
    task = {all.X(in, Eigen::all), all.Y(Eigen::all, in), all.X(out, Eigen::all),
            all.Y(Eigen::all, out)};
  }
  task.learn_validation = options_.learn_validation;
  if (pass)
    task.pass = [&](const auto& take) {
      pass([&](const Points& part, const Mat<double>& targets) {
        require(part.cols() == X.cols(), "a part has {} columns, the sample has {}", part.cols(),
                X.cols());
        const RowMat<S> points = part.as<S>();
        check_finite(points);
        take(points, targets.cast<S>());
      });
    };
  LearnReport report = model.learn(task, hooks);
  report.inducing_inputs = model.inducing_inputs().back().template cast<double>();
  Mat<S> mean, deviation;
  model.theta(mean, deviation);
  const Index inputs = mean.rows() - 1;  // then the log scale
  report.log_lengthscales = mean.col(0).head(inputs).template cast<double>();
  report.deviations = deviation.col(0).head(inputs).template cast<double>();
  return report;
}

Latent<double> Engine::predict(const Points& X, bool with_var) const {
  require(tasks_ > 0, "the model has not learned anything yet: call learn first");
  require(X.cols() == D_, "X has {} columns, the model was learned with {}", X.cols(), D_);
  Latent<double> out;
  with_threads(options_.threads, [&] {
    std::visit(
        [&]<class S>(const std::unique_ptr<Model<S>>& model) {
          const RowMat<S> points = X.as<S>();
          check_finite(points);
          const Latent<S> f = model->predict(points, with_var);
          out = {f.mean.template cast<double>(), f.var.template cast<double>(),
                 f.probability.template cast<double>()};
        },
        model_);
  });
  check_finite(out);
  return out;
}

Index Engine::outputs() const {
  return tasks_ == 0 ? 0 : std::visit([](const auto& model) { return model->outputs(); }, model_);
}

double Engine::noise() const {
  return tasks_ == 0 ? 0 : std::visit([](const auto& model) { return model->noise(); }, model_);
}

std::vector<Eigen::MatrixXd> Engine::inducing_inputs() const {
  std::vector<Eigen::MatrixXd> out;
  if (tasks_ > 0)
    std::visit(
        [&](const auto& model) {
          for (const auto& Z : model->inducing_inputs()) out.push_back(Z.template cast<double>());
        },
        model_);
  return out;
}

Theta Engine::theta() const {
  require(tasks_ > 0, "theta is chosen when the first task is learned");
  Theta out;
  std::visit(
      [&]<class S>(const std::unique_ptr<Model<S>>& model) {
        Mat<S> mean, deviation;
        model->theta(mean, deviation);
        const Index D = mean.rows() - 1;  // of the kernel, which may see features of X
        out.log_lengthscales = mean.col(0).head(D).template cast<double>();
        out.log_scale = static_cast<double>(mean(D));
        out.deviation = deviation.col(0).template cast<double>();
      },
      model_);
  return out;
}

std::size_t Engine::state_bytes() const {
  return tasks_ == 0 ? 0
                     : std::visit([](const auto& model) { return model->state_bytes(); }, model_);
}

void Engine::write(State& state, const std::string& kind, nlohmann::ordered_json more) const {
  more["precision"] = options_.precision == Precision::kFloat ? "float" : "double";
  more["validation"] = options_.validation;
  more["learn_validation"] = options_.learn_validation;
  more["settings"] = to_json(options_);
  state.text["kind"] = kind;
  state.text["options"] = more.dump();
  StateWriter writer(state);
  writer("tasks", tasks_);
  writer("inputs", D_);
  std::visit([&](const auto& model) { model->write(writer); }, model_);
}

void Engine::read(State& state) {
  StateReader reader(state);
  reader("tasks", tasks_);
  reader("inputs", D_);
  try {
    with_threads(options_.threads,
                 [&] { std::visit([&](const auto& model) { model->read(reader); }, model_); });
  } catch (const NumericalError& error) {
    fail("{}: {}", state.source, error.what());
  }
  const Index learned = std::visit(
      [](const auto& model) -> Index { return std::ssize(model->inducing_inputs()); }, model_);
  const bool one = variant_of(options_.model).old == OldBlocks::kReplaced;
  reader.expect(learned == (one ? std::min<Index>(tasks_, 1) : tasks_),
                "inducing inputs of the tasks");
  reader.expect(tasks_ == 0 ? D_ == 0 : D_ > 0, "inputs, and none before the first task");
  for (const auto& Z : inducing_inputs())
    reader.expect(Z.cols() == D_, "inducing inputs with all inputs");
}

EstimatorOptions options_of(const State& state, const std::string& kind, int threads,
                            const char* flag, bool& on) {
  const auto text = [&](const char* name) {
    const auto found = state.text.find(name);
    require(found != state.text.end(), "{}: __metadata__ has no {}: not a model", state.source,
            name);
    return found->second;
  };
  require(text("kind") == kind, "{}: kind is {}, expected {}", state.source, text("kind"), kind);
  EstimatorOptions options;
  try {
    const auto json = nlohmann::json::parse(text("options"));
    options.validation = json.at("validation").get<double>();
    options.learn_validation = json.at("learn_validation").get<bool>();
    on = json.at(flag).get<bool>();
    const auto precision = json.at("precision").get<std::string>();
    require(precision == "float" || precision == "double",
            "precision = {}: must be float or double", precision);
    if (precision == "float") options.precision = Precision::kFloat;
    for (const auto& [name, value] : json.at("settings").items()) set(options, name, value);
    options.validate();
  } catch (const std::exception& error) {
    fail("{}: the options cannot be read: {}", state.source, error.what());
  }
  options.threads = threads;  // the caller's, not the file's: checked with all the others later
  return options;
}

}  // namespace vargp
