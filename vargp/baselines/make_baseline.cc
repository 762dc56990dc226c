#include "vargp/baselines/make_baseline.h"

#include "vargp/baselines/mlp.h"
#include "vargp/baselines/random_features.h"
#include "vargp/baselines/vcl.h"

namespace vargp {

std::unique_ptr<Learner> make_baseline(const BaselineOptions& options, Index D, int C,
                                       int threads) {
  switch (options.model) {
    case BaselineKind::kVcl:
      return std::make_unique<Vcl>(options, D, C, threads);
    case BaselineKind::kRandomFeatures:
      return std::make_unique<RandomFeatures>(options, D, C, threads);
    default:
      return std::make_unique<Mlp>(options, D, C, threads);
  }
}

}  // namespace vargp
