// What the public classes take and give.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <type_traits>

#include "vargp/core/exceptions.h"
#include "vargp/core/types.h"
#include "vargp/models/options.h"
#include "vargp/models/report.h"

namespace vargp {

enum class Precision { kFloat, kDouble };

// A view of points in rows [N, D]: float or double, any strides, nothing is copied. Made from any
// Eigen matrix; it must not outlive it.
class Points {
 public:
  Points() = default;
  template <class Derived>
  Points(const Eigen::PlainObjectBase<Derived>& m)  // NOLINT: a matrix is a set of points
      : rows_(m.rows()), cols_(m.cols()), row_stride_(m.rowStride()), col_stride_(m.colStride()) {
    using Scalar = typename Derived::Scalar;
    static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>);
    if constexpr (std::is_same_v<Scalar, float>)
      float_ = m.data();
    else
      double_ = m.data();
  }
  Points(const float* data, Index rows, Index cols, Index row_stride, Index col_stride)
      : float_(data), rows_(rows), cols_(cols), row_stride_(row_stride), col_stride_(col_stride) {}
  Points(const double* data, Index rows, Index cols, Index row_stride, Index col_stride)
      : double_(data), rows_(rows), cols_(cols), row_stride_(row_stride), col_stride_(col_stride) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  Points middle_rows(Index first, Index count) const {
    Points out = *this;
    if (float_) out.float_ += first * row_stride_;
    if (double_) out.double_ += first * row_stride_;
    out.rows_ = count;
    return out;
  }

  template <class S>
  RowMat<S> as() const {
    using Strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    const Strides strides(row_stride_, col_stride_);
    if (float_)
      return Eigen::Map<const RowMat<float>, 0, Strides>(float_, rows_, cols_, strides)
          .template cast<S>();
    return Eigen::Map<const RowMat<double>, 0, Strides>(double_, rows_, cols_, strides)
        .template cast<S>();
  }

 private:
  const float* float_ = nullptr;
  const double* double_ = nullptr;
  Index rows_ = 0, cols_ = 0, row_stride_ = 0, col_stride_ = 0;
};

// How an estimator computes.
struct EstimatorOptions : Options {
  Precision precision = Precision::kDouble;
  int threads = 0;          // 0: all cores
  double validation = 0.1;  // share of the rows held out for calibration and early stopping, when
                            // the caller gives none
  bool learn_validation = false;  // and learned too once they have served; the coupled model can
  void validate() const;
};

// All rows of a task that is too large for memory (but those for validation), handed over part by
// part: pass(take) calls take(X, y) with each. The learn() that is given one takes its own X and y
// for a sample of the rows. The coupled model with Gaussian likelihood can learn so.
template <class Y>
using Pass = std::function<void(const std::function<void(const Points& X, const Y& y)>& take)>;

struct State;  // what a model file holds: vargp/io/state.h, which is not installed

struct Theta {
  Eigen::VectorXd log_lengthscales;  // [D]
  double log_scale = 0;
  Eigen::VectorXd deviation;  // [D + 1], of q(theta); 0 where theta is a point
};

}  // namespace vargp
