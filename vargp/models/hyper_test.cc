#include "vargp/models/hyper.h"

#include <gtest/gtest.h>

#include "vargp/autodiff/gradcheck.h"

namespace vargp {
namespace {

TEST(Hyper, ThePriorWithoutItsMatrixIsThatWithIt) {
  for (const Index P : {2, 3, 4, 30}) {
    const Mat<double> start = Mat<double>::Random(P, 1), p = Mat<double>::Random(P, 1);
    Tape<double> tape;
    const double distance = prior_distance(tape.variable(p), start).value()(0);
    const Mat<double> v = p - start;
    EXPECT_NEAR(distance, (v.transpose() * prior_precision(P) * v)(0), 1e-12 * distance) << P;
    // All lengthscales moved by the same are as probable as one lengthscale for all would be, but
    // for the chance that they all agree.
    Mat<double> moved = start;
    moved.topRows(P - 1).array() += 1;
    const double together = prior_distance(tape.variable(moved), start).value()(0);
    EXPECT_NEAR(together, P == 2 ? 1 : 1 / (1 + 0.04 / static_cast<double>(P - 1)), 1e-12) << P;
    expect_gradients({p},
                     [&](Tape<double>&, const auto& in) { return prior_distance(in[0], start); });
  }
}

}  // namespace
}  // namespace vargp
