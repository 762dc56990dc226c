#include "vargp/optim/natural.h"

#include <Eigen/Cholesky>

#include "vargp/core/error.h"
#include "vargp/core/linalg.h"

namespace vargp {

NaturalParameters NaturalParameters::from(const Vec<double>& m, const Mat<double>& Ls) {
  Mat<double> inverse = Mat<double>::Identity(Ls.rows(), Ls.cols());
  solve_lower<double>(Ls, inverse);  // Ls^-1
  NaturalParameters out;
  out.precision.noalias() = inverse.transpose() * inverse;
  out.shift.noalias() = out.precision * m;
  return out;
}

void NaturalParameters::step(const NaturalParameters& target, double rho) {
  precision = (1 - rho) * precision + rho * target.precision;
  shift = (1 - rho) * shift + rho * target.shift;
}

void NaturalParameters::moments(Vec<double>& m, Mat<double>& Ls, std::string_view what) const {
  // With J the reversal of the order, chol(J P J) = R gives S = P^-1 = (J R^-T J)(J R^-T J)',
  // and J R^-T J is lower triangular: no factorisation of S itself is needed.
  const Mat<double> flipped = precision.reverse();
  const Mat<double> R = cholesky<double>(flipped, 1e-14, what);
  Mat<double> inverse = Mat<double>::Identity(R.rows(), R.cols());
  solve_lower<double>(R, inverse);
  Ls = inverse.transpose().reverse();
  m.noalias() = Ls * (Ls.transpose() * shift);
}

}  // namespace vargp
