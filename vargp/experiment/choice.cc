#include "vargp/experiment/choice.h"

#include <algorithm>

#include "vargp/api/classifier.h"
#include "vargp/baselines/make_baseline.h"
#include "vargp/core/error.h"
#include "vargp/experiment/baseline_presets.h"
#include "vargp/experiment/presets.h"
#include "vargp/models/settings.h"

namespace vargp {
namespace {

// The public classifier as a learner of one stream.
class GpLearner final : public Learner {
 public:
  GpLearner(ClassifierOptions options, bool begins_anew)
      : options_(std::move(options)), begins_anew_(begins_anew), model_(options_) {}

  LearnReport learn(const Dataset& train, const Dataset& validation,
                    const LearnHooks& hooks) override {
    LearnReport report;
    if (begins_anew_) {
      Classifier fresh(options_);
      report = fresh.learn(train.X, train.y, validation.X, validation.y, hooks);
      model_ = std::move(fresh);
    } else {
      report = model_.learn(train.X, train.y, validation.X, validation.y, hooks);
    }
    report.task = ++tasks_;
    return report;
  }

  Mat<double> probabilities(const RowMat<float>& X, Index) const override {
    return model_.probabilities(X);
  }
  Index tasks() const override { return tasks_; }
  Index raw_rows() const override {
    // k-means centres are averages, and learned inputs are no longer rows.
    if (options_.start != InducingStart::kRandomRows || options_.learn_inducing) return 0;
    Index rows = 0;
    for (const auto& Z : model_.inducing_inputs()) rows += Z.rows();
    return rows;
  }
  std::size_t state_bytes() const override { return model_.state_bytes(); }

  State state() const override {
    State out = model_.state();
    StateWriter writer(out, "learner/");
    writer("tasks", tasks_);
    return out;
  }
  void read(State& state) override {
    model_ = Classifier::from(state, options_.threads);
    StateReader reader(state, "learner/");
    reader("tasks", tasks_);
  }

 private:
  ClassifierOptions options_;
  bool begins_anew_;
  Classifier model_;
  Index tasks_ = 0;
};

std::vector<std::string> words_of(const std::vector<Setting>& table) {
  const auto model =
      std::find_if(table.begin(), table.end(), [](const Setting& s) { return s.name == "model"; });
  VARGP_CHECK(model != table.end());
  return model->words;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> out = words_of(settings());
  for (const std::string& name : words_of(baseline_settings())) out.push_back(name);
  return out;
}

ModelChoice choose(const std::string& experiment, const std::string& model,
                   const std::string& preset_name) {
  if (contains(words_of(baseline_settings()), model)) {
    BaselineOptions options;
    set(options, "model", model);
    return baseline_preset(experiment, options.model, preset_name);
  }
  if (contains(words_of(settings()), model)) {
    Options options;
    set(options, "model", model);
    return preset(experiment, options.model, preset_name);
  }
  fail("model = {}: must be one of {}", model, fmt::join(model_names(), ", "));
}

void set(ModelChoice& choice, const std::string& name, const nlohmann::json& value) {
  std::visit([&](auto& options) { set(options, name, value); }, choice);
}

void set_seed(ModelChoice& choice, std::uint64_t seed) {
  std::visit([&](auto& options) { options.seed = seed; }, choice);
}

Index epochs_of(const ModelChoice& choice) {
  return std::visit([](const auto& options) { return options.epochs; }, choice);
}

void validate(const ModelChoice& choice, Regime regime) {
  require(regime != Regime::kFineTune || std::holds_alternative<Options>(choice),
          "regime = fine-tune: of the networks it is a model of its own, --model fine-tune");
  std::visit([](const auto& options) { options.validate(); }, choice);
}

nlohmann::ordered_json to_json(const ModelChoice& choice) {
  return std::visit([](const auto& options) { return to_json(options); }, choice);
}

std::unique_ptr<Learner> make_learner(const ModelChoice& choice, const Stream& stream,
                                      Regime regime, int threads) {
  if (const auto* baseline = std::get_if<BaselineOptions>(&choice))
    return make_baseline(*baseline, stream.D(), stream.C(), threads);
  ClassifierOptions options;
  static_cast<Options&>(options) = std::get<Options>(choice);
  options.threads = threads;
  // Images are many and their kernel matrices well-behaved: float. The toy data cost nothing.
  options.precision = stream.D() > 16 ? Precision::kFloat : Precision::kDouble;
  for (int c = 0; c < stream.C(); ++c) options.classes.push_back(c);
  return std::make_unique<GpLearner>(std::move(options), regime == Regime::kFineTune);
}

}  // namespace vargp
