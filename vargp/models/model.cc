#include "vargp/models/model.h"

#include <algorithm>

#include "vargp/core/parallel.h"

namespace vargp {

template <class S>
void for_each_chunk(
    const RowMat<S>& X,
    const std::function<void(const Mat<S>& chunk, Index first, Index count)>& body) {
  parallel_pieces(X.rows(), kPredictChunk, [&](Index first, Index count) {
    Mat<S> chunk = Mat<S>::Zero(kPredictChunk, X.cols());
    chunk.topRows(count) = X.middleRows(first, count);
    body(chunk, first, count);
  });
}

template void for_each_chunk(const RowMat<float>&,
                             const std::function<void(const Mat<float>&, Index, Index)>&);
template void for_each_chunk(const RowMat<double>&,
                             const std::function<void(const Mat<double>&, Index, Index)>&);

}  // namespace vargp
