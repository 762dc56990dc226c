// A matrix by its entries that are not zero, for products with it. Pictures are mostly background
// and categories mostly zeros: with a fifth of the entries a product takes a quarter of the time.
//
//   A = [ 1 0 ]    by columns: start {0, 2, 3}, row {0, 1, 1}, value {1, 2, 3}
//       [ 2 3 ]
#pragma once

#include <memory>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

template <class S>
struct Sparse {
  Index rows = 0;
  std::vector<std::size_t> start = {0};  // where a column's entries begin, and the end of the last
  std::vector<int> row;                  // of each entry, upwards in a column
  std::vector<S> value;

  Index cols() const { return static_cast<Index>(start.size()) - 1; }
};

template <class S>
Index zeros(const Eigen::Ref<const Mat<S>>& A);  // how many
template <class S>
Sparse<S> sparse(const Eigen::Ref<const Mat<S>>& A);
template <class S>
Sparse<S> transposed(const Sparse<S>& A);

// A B. Each entry is added up in the order of the rows of B.
template <class S>
Mat<S> multiply(const Eigen::Ref<const Mat<S>>& A, const Sparse<S>& B);

// sum_i w_i A_ij^2 for every column j.
template <class S>
Vec<S> weighted_squares(const Vec<S>& w, const Sparse<S>& A);

// Whether the product with what is not zero is the faster one.
inline bool mostly_zeros(Index zeros, Index entries) { return 5 * zeros >= 3 * entries; }
template <class S>
bool mostly_zeros(const Eigen::Ref<const Mat<S>>& A);

// Points X [b, D] that get no gradient, by their entries that are not zero.
template <class S>
struct SparseInputs {
  Sparse<S> by_input;  // X
  Sparse<S> by_point;  // X'
};
// None where X is not mostly zeros.
template <class S>
std::shared_ptr<const SparseInputs<S>> sparse_inputs(const Mat<S>& X);

}  // namespace vargp
