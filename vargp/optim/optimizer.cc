#include "vargp/optim/optimizer.h"

#include <cmath>

#include "vargp/core/error.h"
#include "vargp/core/parallel.h"

namespace vargp {

template <class S>
void Optimizer<S>::step(const std::vector<Mat<S>*>& parameters,
                        const std::vector<Mat<S>>& gradients, double rate) {
  VARGP_CHECK(parameters.size() == gradients.size());
  const bool yogi = options_.rule == Rule::kYogi;
  if (slots_.empty()) {
    const S start = yogi ? S(1e-6) : S(0);
    for (const Mat<S>* p : parameters)
      slots_.push_back({Mat<S>::Constant(p->rows(), p->cols(), yogi ? start : S(0)),
                        Mat<S>::Constant(p->rows(), p->cols(), start)});
  }
  VARGP_CHECK(parameters.size() == slots_.size());
  ++step_;
  const auto b1 = static_cast<S>(options_.beta1), b2 = static_cast<S>(options_.beta2);
  const auto eps = yogi ? S(1e-3) : S(1e-8);
  const auto power = static_cast<double>(step_);
  const auto c1 = static_cast<S>(1 - std::pow(options_.beta1, power));
  const auto c2 = static_cast<S>(1 - std::pow(options_.beta2, power));
  parallel_for(std::ssize(parameters), [&](Index k) {
    const auto i = static_cast<std::size_t>(k);
    VARGP_CHECK(slots_[i].m.size() == parameters[i]->size());
    VARGP_CHECK(slots_[i].v.size() == parameters[i]->size());
    auto m = slots_[i].m.array();
    auto v = slots_[i].v.array();
    const auto g = gradients[i].array();
    m = b1 * m + (S(1) - b1) * g;
    if (yogi)
      v -= (S(1) - b2) * (v - g.square()).sign() * g.square();
    else
      v = b2 * v + (S(1) - b2) * g.square();
    parameters[i]->array() -=
        static_cast<S>(rate * options_.learning_rate) / c1 * m / ((v / c2).sqrt() + eps);
  });
}

template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace vargp
