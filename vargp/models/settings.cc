#include "vargp/models/settings.h"

#include <charconv>
#include <functional>
#include <optional>
#include <utility>

#include "vargp/core/error.h"

namespace vargp {
namespace {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

struct Entry {
  Setting setting;
  std::function<void(Options&, const Json&)> set;
  std::function<Ordered(const Options&)> get;
};

// Text from the command line stands for what JSON would have said.
Json parsed(const Json& value) {
  if (!value.is_string()) return value;
  const Json out = Json::parse(value.get<std::string>(), nullptr, false);
  return out.is_discarded() ? value : out;
}

[[noreturn]] void misfit(const std::string& name, const Json& value, std::string_view expected) {
  fail("{} = {}: must be {}", name, value.is_string() ? value.get<std::string>() : value.dump(),
       expected);
}

Entry number(const char* name, double Options::*field, const char* help) {
  return {{name, help},
          [=](Options& o, const Json& v) {
            const Json value = parsed(v);
            if (!value.is_number()) misfit(name, v, "a number");
            o.*field = value.get<double>();
          },
          [=](const Options& o) { return Ordered(o.*field); }};
}

Entry optional_number(const char* name, std::optional<double> Options::*field, const char* help) {
  return {{name, help},
          [=](Options& o, const Json& v) {
            const Json value = parsed(v);
            if (value.is_null() || value == "auto") {
              o.*field = std::nullopt;
              return;
            }
            if (!value.is_number()) misfit(name, v, "a number or auto");
            o.*field = value.get<double>();
          },
          [=](const Options& o) { return o.*field ? Ordered(*(o.*field)) : Ordered("auto"); }};
}

template <class Integer>
Entry whole(const char* name, Integer Options::*field, const char* help) {
  return {{name, help},
          [=](Options& o, const Json& v) {
            const Json value = parsed(v);
            if (!value.is_number_integer() || (!value.is_number_unsigned() && value < 0))
              misfit(name, v, "a whole number, 0 or above");
            o.*field = value.get<Integer>();
          },
          [=](const Options& o) { return Ordered(o.*field); }};
}

Entry flag(const char* name, bool Options::*field, const char* help) {
  return {{name, help},
          [=](Options& o, const Json& v) {
            const Json value = parsed(v);
            if (!value.is_boolean()) misfit(name, v, "true or false");
            o.*field = value.get<bool>();
          },
          [=](const Options& o) { return Ordered(o.*field); }};
}

template <class Enum>
Entry choice(const char* name, Enum Options::*field,
             std::vector<std::pair<const char*, Enum>> words, const char* help) {
  std::string all;
  for (const auto& [word, value] : words) all += (all.empty() ? "" : ", ") + std::string(word);
  return {{name, std::string(help) + " (" + all + ")"},
          [=](Options& o, const Json& v) {
            for (const auto& [word, value] : words)
              if (v == word) {
                o.*field = value;
                return;
              }
            misfit(name, v, "one of " + all);
          },
          [=](const Options& o) {
            for (const auto& [word, value] : words)
              if (o.*field == value) return Ordered(word);
            broken_invariant(__FILE__, __LINE__, "every value of an option has a word");
          }};
}

const std::vector<Entry>& entries() {
  using O = Options;
  static const std::vector<Entry> table = {
      choice<ModelKind>("model", &O::model,
                        {{"coupled", ModelKind::kCoupled}, {"var-gp", ModelKind::kVarGp}},
                        "which posterior"),
      choice<LikelihoodKind>(
          "likelihood", &O::likelihood,
          {{"gaussian", LikelihoodKind::kGaussian}, {"softmax", LikelihoodKind::kSoftmax}},
          "of the labels"),
      whole("seed", &O::seed, "of all random numbers"),
      whole("inducing", &O::inducing, "M, inducing points of each task"),
      number("inducing-share", &O::inducing_share, "M is at most this share of the task's rows"),
      whole("private-minimum", &O::private_minimum,
            "rows that every inducing input averages, at least; 1: a row may be one"),
      flag("shared", &O::shared, "inducing inputs shared by all classes"),
      choice<InducingStart>(
          "start", &O::start,
          {{"k-means", InducingStart::kKMeans}, {"rows", InducingStart::kRandomRows}},
          "where inducing inputs start"),
      whole("kmeans-iterations", &O::kmeans_iterations, "rounds of k-means over all points"),
      flag("learn-inducing", &O::learn_inducing, "move inducing inputs while learning"),
      choice<HyperTreatment>("hyper", &O::hyper,
                             {{"fixed", HyperTreatment::kFixed},
                              {"point", HyperTreatment::kPoint},
                              {"posterior", HyperTreatment::kPosterior}},
                             "how theta is learned"),
      number("lengthscale-factor", &O::lengthscale_factor,
             "first lengthscale, as a multiple of the median distance between points"),
      optional_number("lengthscale", &O::lengthscale, "first lengthscale itself, or auto"),
      number("scale", &O::scale, "square root of k(x, x)"),
      flag("ard", &O::ard, "a lengthscale for every input"),
      flag("standard-prior", &O::standard_prior, "prior N(0, I) of theta instead of N(start, I)"),
      number("beta", &O::beta, "weight of the KL of theta"),
      number("theta-deviation", &O::theta_deviation, "standard deviation of q(theta) at the start"),
      number("noise", &O::noise, "variance of the Gaussian likelihood at the start"),
      flag("learn-noise", &O::learn_noise, "learn that variance"),
      whole("theta-samples", &O::theta_samples, "S, samples of theta"),
      whole("function-samples", &O::function_samples, "F, samples of f for each theta"),
      number("curvature", &O::curvature, "lambda of the coupled softmax"),
      number("jitter", &O::jitter, "added to the diagonal of K, relative to k(x, x)"),
      choice<Inference>("inference", &O::inference,
                        {{"natural", Inference::kNatural}, {"gradient", Inference::kGradient}},
                        "how q(u_t) is learned"),
      choice<UpdateRule>("rule", &O::rule,
                         {{"adam", UpdateRule::kAdam}, {"yogi", UpdateRule::kYogi}},
                         "the optimizer"),
      number("learning-rate", &O::learning_rate, "of the optimizer"),
      whole("batch", &O::batch, "B, points of a mini-batch"),
      whole("epochs", &O::epochs, "E, at most"),
      whole("patience", &O::patience, "K, epochs over which validation accuracy must move"),
      number("tolerance", &O::tolerance, "by how much, else learning stops"),
      number("natural-decay", &O::natural_decay, "step k of a natural gradient is k^-decay long"),
      whole("hyper-points", &O::hyper_points,
            "points, drawn anew for every step, that the coupled model learns theta and Z on"),
      whole("hyper-steps", &O::hyper_steps, "and in how many steps"),
      number("trace-weight", &O::trace_weight,
             "weight of the bound's trace term while the coupled model learns Z"),
  };
  return table;
}

}  // namespace

std::vector<Setting> settings() {
  std::vector<Setting> out;
  for (const Entry& e : entries()) out.push_back(e.setting);
  return out;
}

void set(Options& options, std::string_view name, const Json& value) {
  for (const Entry& e : entries())
    if (e.setting.name == name) return e.set(options, value);
  std::string all;
  for (const Entry& e : entries()) all += (all.empty() ? "" : ", ") + e.setting.name;
  fail("{}: there is no such setting; there are {}", name, all);
}

Ordered to_json(const Options& options) {
  Ordered out;
  for (const Entry& e : entries()) out[e.setting.name] = e.get(options);
  return out;
}

}  // namespace vargp
