#include "vargp/models/settings.h"

namespace vargp {
namespace {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;
using Entry = SettingEntry<Options>;

const std::vector<Entry>& entries() {
  using O = Options;
  static const std::vector<Entry> table = {
      choice<ModelKind>("model", &O::model,
                        {{"coupled", ModelKind::kCoupled},
                         {"var-gp", ModelKind::kVarGp},
                         {"block-diagonal", ModelKind::kBlockDiagonal},
                         {"mle-hypers", ModelKind::kMleHypers},
                         {"global", ModelKind::kGlobal},
                         {"global-mle", ModelKind::kGlobalMle},
                         {"re-var-gp", ModelKind::kReVarGp},
                         {"deep-kernel", ModelKind::kDeepKernel}},
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
      number("phi-penalty", &O::phi_penalty,
             "how firmly a deep kernel's features are held at old inducing inputs"),
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
      flag("keep-best", &O::keep_best,
           "the epoch with the best validation accuracy counts, not the last; learning stops K "
           "epochs after it"),
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

std::vector<Setting> settings() { return names_of(entries()); }

void set(Options& options, std::string_view name, const Json& value) {
  set_entry(entries(), options, name, value);
}

Ordered to_json(const Options& options) { return entries_to_json(entries(), options); }

}  // namespace vargp
