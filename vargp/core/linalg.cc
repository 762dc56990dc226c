#include "vargp/core/linalg.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "vargp/core/error.h"
#include "vargp/core/parallel.h"

namespace vargp {
namespace {

constexpr Index kBlock = 64;
constexpr Index kTile = 256;

// inverse <- L^-1 of a small lower-triangular L, by halves:
//   [ A 0 ]^-1   [  A^-1            0    ]
//   [ B C ]    = [ -C^-1 B A^-1   C^-1 ]
// and what is smaller still column by column: what is left of the unit vector below row k, less L's
// column k times the entry found there. (For 64 rows six times as fast as Eigen's triangular
// solve.)
template <class S>
void invert_lower(const Eigen::Ref<const Mat<S>>& L, Eigen::Ref<Mat<S>> inverse) {
  const Index n = L.rows();
  if (n <= 16) {
    inverse.setIdentity();
    for (Index j = 0; j < n; ++j) {
      auto x = inverse.col(j);
      for (Index k = j; k < n; ++k) {
        x(k) /= L(k, k);
        x.tail(n - k - 1) -= x(k) * L.col(k).tail(n - k - 1);
      }
    }
    return;
  }
  const Index half = (n / 2 + 7) / 8 * 8, rest = n - half;
  invert_lower<S>(L.topLeftCorner(half, half), inverse.topLeftCorner(half, half));
  invert_lower<S>(L.bottomRightCorner(rest, rest), inverse.bottomRightCorner(rest, rest));
  const Mat<S> BA = L.bottomLeftCorner(rest, half) * inverse.topLeftCorner(half, half);
  inverse.bottomLeftCorner(rest, half).noalias() = -inverse.bottomRightCorner(rest, rest) * BA;
  inverse.topRightCorner(half, rest).setZero();
}

// Of the block at (i, i).
template <class S>
Mat<S> inverse_of_block(const Eigen::Ref<const Mat<S>>& L, Index i, Index size) {
  Mat<S> inverse(size, size);
  invert_lower<S>(L.block(i, i, size, size), inverse);
  return inverse;
}

// C <- C - A B, columns of C in units that several threads may take.
template <class C, class A, class B>
void subtract_product(C&& c, const A& a, const B& b) {
  parallel_pieces(c.cols(), kTile, [&](Index first, Index count) {
    c.middleCols(first, count).noalias() -= a * b.middleCols(first, count);
  });
}

}  // namespace

template <class S>
void solve_lower(const Eigen::Ref<const Mat<S>>& L, Eigen::Ref<Mat<S>> B) {
  const Index n = L.rows();
  for (Index i = 0; i < n; i += kBlock) {
    const Index size = std::min(kBlock, n - i);
    if (i > 0) B.middleRows(i, size).noalias() -= L.block(i, 0, size, i) * B.topRows(i);
    B.middleRows(i, size) = inverse_of_block<S>(L, i, size) * B.middleRows(i, size);
  }
}

template <class S>
void solve_lower_transposed(const Eigen::Ref<const Mat<S>>& L, Eigen::Ref<Mat<S>> B) {
  const Index n = L.rows();
  for (Index end = n; end > 0;) {
    const Index i = (end - 1) / kBlock * kBlock;
    const Index size = end - i;
    if (end < n)
      B.middleRows(i, size).noalias() -=
          L.block(end, i, n - end, size).transpose() * B.bottomRows(n - end);
    B.middleRows(i, size) = inverse_of_block<S>(L, i, size).transpose() * B.middleRows(i, size);
    end = i;
  }
}

template <class S>
Mat<S> column_products(const Eigen::Ref<const Mat<S>>& A, const Eigen::Ref<const Mat<S>>& B) {
  constexpr Index kLanes = 16;
  const Index n = A.rows(), whole = n / kLanes * kLanes;
  Mat<S> out(1, A.cols());
  for (Index j = 0; j < A.cols(); ++j) {
    const S *a = A.data() + j * A.outerStride(), *b = B.data() + j * B.outerStride();
    S lanes[kLanes] = {};
    for (Index i = 0; i < whole; i += kLanes)
      for (Index k = 0; k < kLanes; ++k) lanes[k] += a[i + k] * b[i + k];
    for (Index i = whole; i < n; ++i) lanes[i - whole] += a[i] * b[i];
    S total = 0;
    for (const S lane : lanes) total += lane;
    out(0, j) = total;
  }
  return out;
}

template <class S>
Mat<S> squared_column_norms(const Eigen::Ref<const Mat<S>>& A) {
  return column_products<S>(A, A);
}

template <class S>
Mat<S> quadratic_forms(const Mat<S>& G, const Eigen::Ref<const Mat<S>>& A) {
  // In blocks of rows i of G, as a_i' ( G_ii a_i + 2 G_i,>i a_>i ): what is left of the diagonal
  // takes no product. The rows i of all G_c go into one.
  constexpr Index kPieces = 4;
  const Index M = G.rows(), count = G.cols() / M, piece = (M + kPieces - 1) / kPieces;
  Mat<S> out = Mat<S>::Zero(count, A.cols()), rows, GA;
  for (Index i = 0; i < M; i += piece) {
    const Index size = std::min(piece, M - i), right = M - i - size;
    rows.resize(count * size, size + right);
    for (Index c = 0; c < count; ++c) {
      rows.block(c * size, 0, size, size) = G.block(i, c * M + i, size, size);
      rows.block(c * size, size, size, right) = S(2) * G.block(i, c * M + i + size, size, right);
    }
    GA.noalias() = rows * A.bottomRows(size + right);
    for (Index c = 0; c < count; ++c)
      out.row(c) += column_products<S>(A.middleRows(i, size), GA.middleRows(c * size, size));
  }
  return out;
}

template <class S>
Mat<S> cholesky(const Mat<S>& K, double jitter, std::string_view what, double* used_jitter) {
  VARGP_CHECK(K.rows() == K.cols());
  const Mat<double> exact = K.template cast<double>();
  if (!exact.allFinite())
    throw NumericalError(fmt::format("{} has entries that are not finite", what));
  for (int attempt = 0; attempt <= 3; ++attempt, jitter *= 10) {
    Mat<double> A = exact;
    A.diagonal() *= 1 + jitter;
    if (factorise_in_place(A)) {
      if (used_jitter) *used_jitter = jitter;
      return Mat<double>(A.triangularView<Eigen::Lower>()).template cast<S>();
    }
    if (jitter == 0) break;
  }
  throw NumericalError(
      fmt::format("{} ({} x {}) is not positive definite, even with a jitter of {:g}", what,
                  K.rows(), K.cols(), jitter / 10));
}

bool factorise_in_place(Mat<double>& A) {
  const Index n = A.rows();
  for (Index j = 0; j < n; j += kTile) {
    const Index size = std::min(kTile, n - j);
    Eigen::Ref<Mat<double>> D = A.block(j, j, size, size);
    const Eigen::LLT<Eigen::Ref<Mat<double>>> llt(D);
    // (A pivot that is not a number passes Eigen's own test.)
    if (llt.info() != Eigen::Success || !(D.diagonal().minCoeff() > 0)) return false;
    const Index begin = j + size, tiles = (n - begin + kTile - 1) / kTile;
    if (tiles == 0) break;
    const auto rows = [&](Index tile) { return std::min(kTile, n - begin - tile * kTile); };
    // The panel below the diagonal tile: A_ij <- A_ij D^-T.
    parallel_for(tiles, [&](Index i) {
      auto panel = A.block(begin + i * kTile, j, rows(i), size);
      D.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(panel);
    });
    // All that remains: A_ik <- A_ik - A_ij A_kj'.
    parallel_for(tiles * (tiles + 1) / 2, [&](Index pair) {
      Index i = 0;
      while ((i + 1) * (i + 2) / 2 <= pair) ++i;
      const Index k = pair - i * (i + 1) / 2;
      A.block(begin + i * kTile, begin + k * kTile, rows(i), rows(k)).noalias() -=
          A.block(begin + i * kTile, j, rows(i), size) *
          A.block(begin + k * kTile, j, rows(k), size).transpose();
    });
  }
  return true;
}

Mat<double> cholesky_adjoint(const Mat<double>& L, const Mat<double>& dL) {
  constexpr Index kAdjointBlock = 32;
  const Index n = L.rows();
  Mat<double> A = dL.triangularView<Eigen::Lower>();  // overwritten by the gradient, lower half
  for (Index end = n; end > 0;) {
    const Index j = (end - 1) / kAdjointBlock * kAdjointBlock;
    const Index size = end - j, below = n - end;
    const auto D = L.block(j, j, size, size);
    const Mat<double> inverse = inverse_of_block<double>(L, j, size);  // D^-1
    auto dD = A.block(j, j, size, size);
    if (below > 0) {
      auto dC = A.block(end, j, below, size);
      // dC <- dC D^-1
      dC = dC * inverse;
      if (j > 0) subtract_product(A.block(end, 0, below, j), dC, L.block(j, 0, size, j));
      dD.noalias() -= dC.transpose() * L.block(end, j, below, size);
      dD.triangularView<Eigen::StrictlyUpper>().setZero();
    }
    // The diagonal block on its own: P = Phi(D' dD), S = D^-T P D^-1, gradient Phi(S + S').
    Mat<double> P = D.transpose() * dD;
    P.triangularView<Eigen::StrictlyUpper>().setZero();
    P.diagonal() *= 0.5;
    const Mat<double> S = inverse.transpose() * P * inverse;
    const Mat<double> G = S + S.transpose();  // twice the symmetric gradient of the block
    dD.triangularView<Eigen::StrictlyLower>() = G;
    dD.diagonal() = 0.5 * G.diagonal();
    if (j > 0) {
      auto dR = A.block(j, 0, size, j);
      if (below > 0)
        subtract_product(dR, A.block(end, j, below, size).transpose(), L.block(end, 0, below, j));
      dR.noalias() -= G * L.block(j, 0, size, j);
    }
    end = j;
  }
  // A holds each pair (i, j), (j, i) once, below the diagonal.
  A.triangularView<Eigen::StrictlyLower>() *= 0.5;
  A.triangularView<Eigen::StrictlyUpper>() = A.transpose();
  return A;
}

template void solve_lower<float>(const Eigen::Ref<const Mat<float>>&, Eigen::Ref<Mat<float>>);
template void solve_lower<double>(const Eigen::Ref<const Mat<double>>&, Eigen::Ref<Mat<double>>);
template void solve_lower_transposed<float>(const Eigen::Ref<const Mat<float>>&,
                                            Eigen::Ref<Mat<float>>);
template void solve_lower_transposed<double>(const Eigen::Ref<const Mat<double>>&,
                                             Eigen::Ref<Mat<double>>);
template Mat<float> column_products<float>(const Eigen::Ref<const Mat<float>>&,
                                           const Eigen::Ref<const Mat<float>>&);
template Mat<double> column_products<double>(const Eigen::Ref<const Mat<double>>&,
                                             const Eigen::Ref<const Mat<double>>&);
template Mat<float> quadratic_forms<float>(const Mat<float>&, const Eigen::Ref<const Mat<float>>&);
template Mat<double> quadratic_forms<double>(const Mat<double>&,
                                             const Eigen::Ref<const Mat<double>>&);
template Mat<float> squared_column_norms<float>(const Eigen::Ref<const Mat<float>>&);
template Mat<double> squared_column_norms<double>(const Eigen::Ref<const Mat<double>>&);
template Mat<float> cholesky<float>(const Mat<float>&, double, std::string_view, double*);
template Mat<double> cholesky<double>(const Mat<double>&, double, std::string_view, double*);

}  // namespace vargp
