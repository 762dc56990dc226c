// Triangular solves and the Cholesky factor with its adjoint, blocked so that nearly all the work
// is matrix products. (Eigen's own triangular solve runs at a third of the rate of its product.)
#pragma once

#include <string_view>

#include "vargp/core/types.h"

namespace vargp {

// B <- L^-1 B and B <- L^-T B, L lower triangular [n, n], B [n, b].
template <class S>
void solve_lower(const Eigen::Ref<const Mat<S>>& L, Eigen::Ref<Mat<S>> B);
template <class S>
void solve_lower_transposed(const Eigen::Ref<const Mat<S>>& L, Eigen::Ref<Mat<S>> B);

// a' b of each pair of columns, and |a|^2 of each column, [1, b]. Each column is added up in the
// same order wherever it lies in memory, which Eigen's own reductions do not promise.
template <class S>
Mat<S> column_products(const Eigen::Ref<const Mat<S>>& A, const Eigen::Ref<const Mat<S>>& B);
template <class S>
Mat<S> squared_column_norms(const Eigen::Ref<const Mat<S>>& A);

// a' G_c a of each column a of A [M, b], for symmetric G_c side by side in G [M, c M]: [c, b].
template <class S>
Mat<S> quadratic_forms(const Mat<S>& G, const Eigen::Ref<const Mat<S>>& A);

// The lower factor L of K with K_ii (1 + jitter) on the diagonal, computed in double.
// Where that is not positive definite the jitter is raised tenfold, three times at most;
// then NumericalError says what was being factorised. used_jitter tells what it took.
template <class S>
Mat<S> cholesky(const Mat<S>& K, double jitter, std::string_view what,
                double* used_jitter = nullptr);

// A <- its lower factor (the strict upper triangle is left as it was); false if A is not positive
// definite. Large matrices are factorised tile by tile, several at once; the bits do not depend on
// the number of threads.
bool factorise_in_place(Mat<double>& A);

// The adjoint of K -> L: given dL = d loss / d L (its lower triangle), the symmetric d loss / d K.
// Murray (2016), "Differentiation of the Cholesky decomposition", blocked form, in double.
Mat<double> cholesky_adjoint(const Mat<double>& L, const Mat<double>& dL);

}  // namespace vargp
