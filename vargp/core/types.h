// The matrix types of the whole library. Points stand in rows: X is [N, D], Z is [M, D].
#pragma once

#include <Eigen/Core>

namespace vargp {

using Index = Eigen::Index;

// What is computed with: column-major, float for speed or double for precision.
template <class S>
using Mat = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
template <class S>
using Vec = Eigen::Matrix<S, Eigen::Dynamic, 1>;

// What data come in: one point after the other, as in files and in NumPy.
template <class S>
using RowMat = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace vargp
