// Central finite differences against the tape, for any scalar function of some matrices.
//
//   expect_gradients<double>({A, B}, [](auto& tape, auto v) { return sum(matmul(v[0], v[1])); });
//
// A function that is not scalar is weighted with fixed pseudo-random numbers first, so that every
// entry of its Jacobian counts.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "vargp/autodiff/ops.h"
#include "vargp/core/random.h"

namespace vargp {

using Function = std::function<Var<double>(Tape<double>&, const std::vector<Var<double>>&)>;

inline void expect_gradients(const std::vector<Mat<double>>& at, const Function& function,
                             double tolerance = 1e-6, double h = 1e-5) {
  const auto weighted = [&](Tape<double>& tape, const std::vector<Var<double>>& v) {
    const Var<double> out = function(tape, v);
    if (out.value().size() == 1) return out;
    Random random(1, Purpose::kTest);
    return sum(product(out, tape.constant(random.normals<double>(out.rows(), out.cols()))));
  };
  const auto value = [&](const std::vector<Mat<double>>& x) {
    Tape<double> tape;
    std::vector<Var<double>> v;
    for (const auto& m : x) v.push_back(tape.variable(m));
    return weighted(tape, v).value()(0, 0);
  };

  Tape<double> tape;
  std::vector<Var<double>> v;
  for (const auto& m : at) v.push_back(tape.variable(m));
  tape.backward(weighted(tape, v));

  for (std::size_t a = 0; a < at.size(); ++a) {
    const Mat<double> grad = v[a].grad();
    for (Index k = 0; k < at[a].size(); ++k) {
      auto x = at;
      x[a](k) = at[a](k) + h;
      const double above = value(x);
      x[a](k) = at[a](k) - h;
      const double below = value(x);
      const double expected = (above - below) / (2 * h);
      EXPECT_NEAR(grad(k), expected, tolerance * (1 + std::abs(expected)))
          << "argument " << a << ", entry " << k;
    }
  }
}

}  // namespace vargp
