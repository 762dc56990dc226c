#include "vargp/table/table_model.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "vargp/core/error.h"
#include "vargp/io/safetensors.h"
#include "vargp/io/text.h"
#include "vargp/models/hyper.h"
#include "vargp/models/settings.h"
#include "vargp/models/variant.h"

namespace vargp {
namespace {

// The watch needs every task's inducing inputs where they were, and which columns matter is said by
// the lengthscales of a kernel that sees the columns themselves.
bool fits_tables(ModelKind model) {
  return !variant_of(model).anchored() && !variant_of(model).deep;
}

std::variant<Classifier, Regressor> make(const TableModelOptions& options) {
  if (!fits_tables(options.model))
    fail("model = {}: a model of tables must be coupled, var-gp, mle-hypers or block-diagonal",
         to_json(options)["model"].get<std::string>());
  if (options.regression) {
    require(options.classes.empty(), "classes: a regression has none");
    RegressorOptions o{options};
    o.center = options.standardise;
    return Regressor(o);
  }
  ClassifierOptions o{options, {}};
  o.classes.resize(options.classes.size());
  std::iota(o.classes.begin(), o.classes.end(), 0);
  return Classifier(o);
}

std::string now() {
  const auto time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

// JSON has no NaN, which stands for "none" here.
nlohmann::ordered_json to_json(const TaskRecord& r) {
  return {{"date", r.date},
          {"source", r.source},
          {"rows", r.rows},
          {"inducing", r.inducing},
          {"class_rows", r.class_rows},
          {"bound", r.bound},
          {"validation",
           r.validation ? nlohmann::ordered_json(*r.validation) : nlohmann::ordered_json()},
          {"seconds", r.seconds}};
}

TaskRecord record_from(const nlohmann::json& json) {
  TaskRecord r;
  json.at("date").get_to(r.date);
  json.at("source").get_to(r.source);
  r.rows = count_from(json.at("rows"));
  r.inducing = count_from(json.at("inducing"));
  for (const auto& rows : json.at("class_rows")) r.class_rows.push_back(count_from(rows));
  json.at("bound").get_to(r.bound);
  if (!json.at("validation").is_null()) r.validation = json.at("validation").get<double>();
  json.at("seconds").get_to(r.seconds);
  return r;
}

}  // namespace

TableModelOptions::TableModelOptions() {
  inducing = 300;
  inducing_share = 0.5;
  learn_validation = true;
  ard = true;
  learning_rate = 0.1;
  hyper_steps = 50;
  hyper_points = 1000;
}

void use_preset(TableModelOptions& options, const std::string& name) {
  require(name == "quick" || name == "default" || name == "best",
          "preset = {}: must be quick, default or best", name);
  if (name == "quick") {
    options.inducing = 100;
    options.hyper_steps = 30;
  } else if (name == "best") {
    options.inducing = 1000;
    options.hyper_steps = 300;
  }
}

double interval_width(double coverage) {
  require(coverage > 0 && coverage < 1, "coverage = {:g}: must be in (0, 1)", coverage);
  // erf(z / sqrt 2) = coverage, by bisection.
  double low = 0, high = 40;
  for (int i = 0; i < 200; ++i) {
    const double z = 0.5 * (low + high);
    (std::erf(z / std::sqrt(2.0)) < coverage ? low : high) = z;
  }
  return low;
}

TableModel::TableModel(const TableModelOptions& options)
    : options_(options), model_(make(options)) {
  schema_.regression = options.regression;
  schema_.grows = !options.regression && options.classes.empty();
  schema_.classes = options.classes;
  auto sorted = options.classes;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) fail("classes: {} is listed twice", *twice);
  schema_.standardise = options.standardise;
  schema_.missing = options.missing;
  schema_.unseen = options.unseen;
}

Schema TableModel::schema_for(const Points& X, const TaskInfo& info) const {
  require(info.features.empty() || std::ssize(info.features) == X.cols(),
          "X has {} columns and {} names", X.cols(), info.features.size());
  Schema out = schema_;
  if (tasks() > 0) return out;
  require(X.rows() > 0, "X has no rows: a task needs at least one");
  require(X.cols() > 0, "X has no columns");
  out.named = !unnamed(info.features);
  out.label = info.label;
  out.columns = numeric_columns(X, info.features, out.standardise);
  if (info.image_rows * info.image_cols == X.cols()) {
    out.image_rows = info.image_rows;
    out.image_cols = info.image_cols;
  }
  return out;
}

TableReport TableModel::learn(const Points& X, const std::vector<std::string>& y,
                              const TaskInfo& info) {
  require(!regression(), "y has labels, but the model is a regression");
  require(X.rows() == std::ssize(y), "X has {} rows, y has {} labels", X.rows(), y.size());
  EncodedTask task;
  task.schema = schema_for(X, info);
  task.X = task.schema.encode(X, info.features, "X");
  std::map<std::string, int> place;
  for (const std::string& name : task.schema.classes)
    place.emplace(name, static_cast<int>(place.size()));
  std::vector<std::string> fresh;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!place.contains(y[i])) {
      require(schema_.grows, "y has the label {} in row {} (counted from 0), expected one of {}",
              y[i], i, listed(schema_.classes));
      place.emplace(y[i], -1);
      fresh.push_back(y[i]);
    }
  sort_names(fresh);
  for (const std::string& name : fresh) {
    place[name] = static_cast<int>(task.schema.classes.size());
    task.schema.classes.push_back(name);
  }
  task.class_rows.resize(task.schema.classes.size());
  for (const std::string& name : y) {
    task.y.push_back(place[name]);
    ++task.class_rows[static_cast<std::size_t>(task.y.back())];
  }
  return learn(task, info);
}

TableReport TableModel::learn(const Points& X, const Eigen::VectorXd& y, const TaskInfo& info) {
  require(regression(), "y has numbers, but the model has classes");
  require(X.rows() == y.size(), "X has {} rows, y has {} targets", X.rows(), y.size());
  EncodedTask task;
  task.schema = schema_for(X, info);
  task.X = task.schema.encode(X, info.features, "X");
  task.targets = y;
  return learn(task, info);
}

TableReport TableModel::learn(const EncodedTask& task, const TaskInfo& info) {
  LearnReport learned;
  TaskRecord record;
  if (auto* classifier = std::get_if<Classifier>(&model_)) {
    learned = classifier->learn(task.X, task.y, task.X_validation, task.y_validation, info.hooks,
                                task.pass);
    if (std::isfinite(learned.validation)) record.validation = learned.validation;
  } else {
    auto& regressor = std::get<Regressor>(model_);
    learned = regressor.learn(task.X, task.targets, task.X_validation, task.targets_validation,
                              info.hooks, task.target_pass);
    if (std::isfinite(learned.validation))
      record.validation = std::sqrt(-learned.validation) * regressor.target_deviation()(0);
  }
  record.date = now();
  record.source = info.source;
  record.rows = learned.rows;
  record.inducing = learned.inducing;
  record.class_rows = task.class_rows;
  record.bound = learned.bound;
  record.seconds = learned.seconds;

  watch_.push_back(watched(tasks()));
  TableReport report;
  report.new_classes.assign(task.schema.classes.begin() +
                                std::ssize(schema_.grows ? schema_.classes : task.schema.classes),
                            task.schema.classes.end());
  schema_ = task.schema;
  history_.push_back(record);
  report.task = tasks();
  report.record = std::move(record);
  report.moved = moved();
  report.state_bytes = state_bytes();
  for (const TaskRecord& r : history_) report.n += r.inducing;
  return report;
}

TablePrediction TableModel::predict(const Points& X, std::span<const std::string> features) const {
  require(tasks() > 0, "the model has not learned anything yet: call learn first");
  require(features.empty() || std::ssize(features) == X.cols(), "X has {} columns and {} names",
          X.cols(), features.size());
  return predict_encoded(schema_.encode(X, features, "X"));
}

TablePrediction TableModel::predict_encoded(const Points& X) const {
  TablePrediction out;
  if (const auto* classifier = std::get_if<Classifier>(&model_)) {
    ClassPrediction p = classifier->predict(X);
    out.label.assign(p.label.begin(), p.label.end());
    out.probability = std::move(p.probability);
    out.entropy = std::move(p.entropy);
    out.mean = std::move(p.mean);
    out.var = std::move(p.var);
  } else {
    RegressionPrediction p = std::get<Regressor>(model_).predict(X);
    out.sd = (p.var.col(0).array() + p.noise(0)).sqrt();
    out.mean = std::move(p.mean);
    out.var = std::move(p.var);
  }
  return out;
}

Eigen::MatrixXd TableModel::watched(Index t) const {
  const auto Z = std::visit([](const auto& m) { return m.inducing_inputs(); }, model_);
  const TablePrediction p = predict_encoded(Z[static_cast<std::size_t>(t)]);
  if (!regression()) return p.probability;
  Eigen::MatrixXd out(p.mean.rows(), 2);
  out << p.mean, p.sd;
  return out;
}

std::vector<Moved> TableModel::moved() const {
  std::vector<Moved> out;
  for (Index t = 0; t < tasks(); ++t) {
    const Eigen::MatrixXd now = watched(t), &then = watch_[static_cast<std::size_t>(t)];
    const auto M = static_cast<double>(now.rows());
    Moved m;
    if (regression()) {
      m.distance =
          std::sqrt(((now.col(0) - then.col(0)).array() / then.col(1).array()).square().sum() / M);
    } else {
      // A class that came later had no probability then.
      Eigen::MatrixXd padded = Eigen::MatrixXd::Zero(now.rows(), now.cols());
      padded.leftCols(then.cols()) = then;
      m.distance = 0.5 * (now - padded).cwiseAbs().sum() / M;
      for (Index i = 0; i < now.rows(); ++i) {
        Index a = 0, b = 0;
        now.row(i).maxCoeff(&a);
        then.row(i).maxCoeff(&b);
        m.changed += a != b ? 1 / M : 0;
      }
    }
    out.push_back(m);
  }
  return out;
}

std::vector<RowMat<double>> TableModel::inducing_inputs() const {
  std::vector<RowMat<double>> out;
  for (const auto& Z : std::visit([](const auto& m) { return m.inducing_inputs(); }, model_))
    out.push_back(schema_.decode(Z));
  return out;
}

std::vector<Lengthscale> TableModel::lengthscales() const {
  const Theta theta = std::visit([](const auto& m) { return m.theta(); }, model_);
  const auto names = schema_.inputs();
  // The deviation that the prior leaves, if the data say nothing.
  const bool own = options_.ard && options_.model == ModelKind::kCoupled && schema_.D() > 1;
  const double before = (own ? kOwnDeviation : 1) / std::sqrt(std::max(options_.beta, 0.01));
  std::vector<Lengthscale> out;
  for (const Column& c : schema_.columns)
    for (Index j = 0; j < c.width(); ++j) {
      const Index d = std::ssize(out);
      const double value = std::exp(theta.log_lengthscales(d));
      out.push_back({names[static_cast<std::size_t>(d)], value,
                     schema_.standardise ? value * c.deviation : value, theta.deviation(d),
                     theta.deviation(d) < 0.9 * before});
    }
  return out;
}

double TableModel::scale() const {
  return std::exp(std::visit([](const auto& m) { return m.theta(); }, model_).log_scale);
}

double TableModel::noise() const {
  const auto* regressor = std::get_if<Regressor>(&model_);
  return regressor && tasks() > 0 ? std::sqrt(regressor->noise()(0)) : 0;
}

std::size_t TableModel::state_bytes() const {
  return std::visit([](const auto& m) { return m.state_bytes(); }, model_);
}

State TableModel::state() const {
  State state = std::visit([](const auto& m) { return m.state(); }, model_);
  nlohmann::ordered_json history = nlohmann::ordered_json::array();
  for (const TaskRecord& r : history_) history.push_back(to_json(r));
  state.text["schema"] = vargp::to_json(schema_).dump();
  state.text["history"] = history.dump();
  state.text["notes"] = nlohmann::ordered_json(notes).dump();
  StateWriter writer(state);
  writer("watch", watch_);
  return state;
}

TableModel TableModel::from(State& state, int threads) {
  const auto text = [&](const char* name) {
    const auto found = state.text.find(name);
    require(found != state.text.end(),
            "{}: __metadata__ has no {}, expected a model made by vargp learn, or by Python",
            state.source, name);
    return found->second;
  };
  TableModel out;
  try {
    out.schema_ = schema_from(nlohmann::json::parse(text("schema")));
    for (const auto& item : nlohmann::json::parse(text("history")))
      out.history_.push_back(record_from(item));
    nlohmann::json::parse(text("notes")).get_to(out.notes);
  } catch (const std::exception& error) {
    fail("{}: the description of the model cannot be read: {}", state.source, error.what());
  }
  StateReader reader(state);
  reader("watch", out.watch_);
  if (out.schema_.regression)
    out.model_ = Regressor::from(state, threads);
  else
    out.model_ = Classifier::from(state, threads);
  reader.finish();
  std::visit([&](const auto& m) { out.options_ = m.options(); }, out.model_);
  out.check(reader);
  return out;
}

// Everything that is looked up in another part later, so that a file whose parts do not fit is
// refused here.
void TableModel::check(const StateReader& reader) const {
  reader.expect(fits_tables(options_.model), "a kind of model that tables have");
  auto names = classes();
  std::sort(names.begin(), names.end());
  reader.expect(std::adjacent_find(names.begin(), names.end()) == names.end(),
                "classes with names of their own");
  const auto Z = std::visit([](const auto& m) { return m.inducing_inputs(); }, model_);
  reader.expect(std::ssize(Z) == tasks() && std::ssize(watch_) == tasks() &&
                    std::visit([](const auto& m) { return m.tasks(); }, model_) == tasks(),
                "history, watch and inducing inputs of every task");
  const Index C = std::ssize(classes()), D = schema_.D();
  for (std::size_t t = 0; t < Z.size(); ++t) {
    reader.expect(Z[t].cols() == D, "inducing inputs with a column for every input");
    const Eigen::MatrixXd& watch = watch_[t];
    reader.expect(watch.rows() == Z[t].rows() &&
                      (regression() ? watch.cols() == 2 && (watch.col(1).array() > 0).all()
                                    : watch.cols() > 0 && watch.cols() <= C),
                  "watch of every inducing input");
    reader.expect(history_[t].inducing <= Z[t].rows(), "inducing inputs as the history has them");
    reader.expect(std::ssize(history_[t].class_rows) <= C, "class_rows of the classes");
  }
  const Index rows = schema_.image_rows, cols = schema_.image_cols;
  reader.expect(rows == 0 ? cols == 0 : rows > 0 && D % rows == 0 && D / rows == cols,
                "an image with all inputs");
  if (const auto* classifier = std::get_if<Classifier>(&model_)) {
    std::vector<int> places(classes().size());
    std::iota(places.begin(), places.end(), 0);
    reader.expect(classifier->classes() == places, "a name for every class");
  } else {
    reader.expect(tasks() == 0 || std::get<Regressor>(model_).noise().size() == 1, "one target");
  }
}

void TableModel::save(const std::filesystem::path& path) const { write_safetensors(path, state()); }

TableModel TableModel::load(const std::filesystem::path& path, int threads) {
  State state = read_safetensors(path);
  return from(state, threads);
}

std::string TableModel::bytes() const { return safetensors_bytes(state()); }

TableModel TableModel::from_bytes(std::string_view bytes, const std::string& name, int threads) {
  // The bytes are there as long as the state is.
  const std::shared_ptr<const void> kept(std::shared_ptr<const void>(), bytes.data());
  State state = parse_safetensors(name, bytes, kept);
  return from(state, threads);
}

}  // namespace vargp
