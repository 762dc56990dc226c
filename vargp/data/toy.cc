#include "vargp/data/toy.h"

#include <Eigen/Core>
#include <cmath>

#include "vargp/core/error.h"
#include "vargp/core/random.h"

namespace vargp {

Dataset toy(std::uint64_t seed, Index points_per_class, ToySet set) {
  require(points_per_class >= 0, "toy: points_per_class is {}, expected 0 or more",
          points_per_class);
  struct Cluster {
    Eigen::Vector2d mean;
    Eigen::Matrix2d factor;  // lower Cholesky factor of the covariance
  };
  const double a = std::sqrt(0.2), b = 0.1 / a, c = std::sqrt(0.1 - b * b);
  const Cluster clusters[] = {
      {{0.3, 0.5}, Eigen::Matrix2d{{0.4, 0}, {0, 0.4}}},
      {{0, -1.2}, Eigen::Matrix2d{{0.6, 0}, {0, 0.1}}},
      {{2, 0}, Eigen::Matrix2d{{0.1, 0}, {0, 0.6}}},
      {{-1, 0.5}, Eigen::Matrix2d{{a, 0}, {b, c}}},
  };
  Dataset data;
  data.C = 4;
  data.X.resize(4 * points_per_class, 2);
  Index row = 0;
  for (int k = 0; k < data.C; ++k) {
    Random random(seed, Purpose::kData, static_cast<std::uint32_t>(k),
                  static_cast<std::uint32_t>(set));
    for (Index i = 0; i < points_per_class; ++i, ++row) {
      const double first = random.normal(), second = random.normal();
      const Eigen::Vector2d point =
          clusters[k].mean + clusters[k].factor * Eigen::Vector2d(first, second);
      data.X.row(row) = point.cast<float>();
      data.y.push_back(k);
    }
  }
  return data;
}

}  // namespace vargp
