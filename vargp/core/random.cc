#include "vargp/core/random.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "vargp/core/error.h"

namespace vargp {

Random::Random(std::uint64_t seed, Purpose purpose, Index task, Index step, Index lane)
    : seed_(seed),
      purpose_(static_cast<std::uint32_t>(purpose) | static_cast<std::uint32_t>(lane) << 8),
      task_(static_cast<std::uint32_t>(task)),
      step_(static_cast<std::uint32_t>(step)) {}

std::uint32_t Random::bits() {
  if (used_ == 4) {
    const r123::Philox4x32::key_type key = {
        {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)}};
    const r123::Philox4x32::ctr_type counter = {{block_++, purpose_, task_, step_}};
    const auto block = r123::Philox4x32{}(counter, key);
    for (int i = 0; i < 4; ++i) buffer_[i] = block[static_cast<std::size_t>(i)];
    used_ = 0;
  }
  return buffer_[used_++];
}

double Random::uniform() {
  const std::uint64_t high = bits(), low = bits();
  const std::uint64_t mantissa = ((high << 32) | low) >> 11;  // 53 bits
  return (static_cast<double>(mantissa) + 0.5) * 0x1p-53;
}

double Random::normal() {
  if (std::exchange(has_spare_, false)) return spare_;
  const double radius = std::sqrt(-2 * std::log(uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

Index Random::below(Index bound) {
  VARGP_CHECK(bound > 0);
  const auto range = static_cast<std::uint64_t>(bound);
  const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % range + 1) % range;
  while (true) {
    const std::uint64_t high = bits(), low = bits();
    const std::uint64_t draw = (high << 32) | low;
    if (draw <= limit) return static_cast<Index>(draw % range);
  }
}

std::vector<Index> Random::permutation(Index n) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = n - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(below(i + 1))]);
  return order;
}

}  // namespace vargp
