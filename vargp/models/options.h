// Every setting of a model and of its learning, with defaults in place. Options that do not belong
// together are told apart by validate(), whose error names the field, its value and the rule.
#pragma once

#include <cstdint>
#include <optional>

#include "vargp/core/types.h"

namespace vargp {

enum class ModelKind {
  kCoupled,  // all of u_<=t moves, one shared precision (ours)
  kVarGp,    // auto-regressive, old blocks frozen (the paper's)
  // The paper's ablations and variants; models/variant.h tells how they differ.
  kBlockDiagonal,
  kMleHypers,
  kGlobal,
  kGlobalMle,
  kReVarGp,
  kDeepKernel,
};
enum class LikelihoodKind { kGaussian, kSoftmax };
enum class InducingStart { kKMeans, kRandomRows };
enum class Inference {
  kNatural,   // natural gradients for q(u_t)
  kGradient,  // the optimizer on everything, Ls with a softplus diagonal (the paper's)
};
enum class HyperTreatment {
  kFixed,      // theta stays where it starts
  kPoint,      // a point estimate, moved by every task, without a KL
  kPosterior,  // q(theta), kept near the last task's by its KL; the coupled model takes its mode,
               // and keeps it after the first task
};
enum class UpdateRule { kAdam, kYogi };

struct Options {
  ModelKind model = ModelKind::kCoupled;
  LikelihoodKind likelihood = LikelihoodKind::kGaussian;
  std::uint64_t seed = 1;

  // Inducing inputs.
  Index inducing = 200;       // M, of each task, but
  double inducing_share = 1;  // at most this share of its rows
  Index private_minimum = 1;  // above 1: each is the average of that many rows or more
  bool shared = true;         // by all outputs, or a set for each
  InducingStart start = InducingStart::kKMeans;
  Index kmeans_iterations = 10;
  bool learn_inducing = false;

  // theta. The start: lengthscales of lengthscale_factor times the median distance between points,
  // unless lengthscale is given.
  HyperTreatment hyper = HyperTreatment::kPosterior;
  double lengthscale_factor = 0.4;
  std::optional<double> lengthscale;
  double scale = 1;              // sqrt of k(x, x)
  bool ard = false;              // lengthscales of their own, or one for all inputs
  bool standard_prior = false;   // N(0, I) as the paper has it, or N(start, I)
  double beta = 1;               // tempering of KL[q(theta)]
  double theta_deviation = 0.1;  // of q(theta) at the start
  double noise = 0.05;           // s2 of the Gaussian likelihood at the start
  bool learn_noise = true;
  double phi_penalty = 0;  // of the deep kernel: holds its features at old inducing inputs

  // The bound.
  Index theta_samples = 3;      // S
  Index function_samples = 10;  // F
  double curvature = 0.5;       // lambda of the coupled softmax
  double jitter = 1e-6;         // relative to k(x, x)

  // Algorithm 1.
  Inference inference = Inference::kNatural;
  UpdateRule rule = UpdateRule::kAdam;
  double learning_rate = 0.01;
  Index batch = 512;
  Index epochs = 30;
  Index patience = 10;         // K: stop when validation accuracy has moved by less than
  double tolerance = 1e-4;     // this over K epochs, or
  bool keep_best = false;      // when none of K was better than the best one, which is kept
  double natural_decay = 0.7;  // rho_k = (k + 1)^-natural_decay

  // What the coupled model learns before its closed form (theta and the noise, on the first task
  // only, and its inducing inputs) goes by the collapsed bound, on
  Index hyper_points = 2000;  // points, drawn anew for every step
  Index hyper_steps = 100;
  double trace_weight = 0.1;  // of the bound's last term while inducing inputs are learned

  void validate() const;
};

}  // namespace vargp
