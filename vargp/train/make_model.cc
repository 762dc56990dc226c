#include "vargp/train/make_model.h"

#include "vargp/core/error.h"
#include "vargp/train/coupled.h"
#include "vargp/train/var_gp.h"

namespace vargp {

template <class S>
std::unique_ptr<Model<S>> make_model(const Options& options, bool classification) {
  require(classification || options.likelihood == LikelihoodKind::kGaussian,
          "likelihood = softmax: regression needs the Gaussian likelihood");
  if (options.model == ModelKind::kCoupled)
    return std::make_unique<Coupled<S>>(options, classification);
  return std::make_unique<VarGp<S>>(options, classification);
}

template std::unique_ptr<Model<float>> make_model(const Options&, bool);
template std::unique_ptr<Model<double>> make_model(const Options&, bool);

}  // namespace vargp
