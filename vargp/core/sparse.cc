#include "vargp/core/sparse.h"

#include <algorithm>

#include "vargp/core/error.h"

namespace vargp {
namespace {

namespace packets = Eigen::internal;  // what the processor takes at once
template <class S>
constexpr int kLanes = packets::packet_traits<S>::size;

// kCount packets of rows of A B from `row` on: they stay in registers while a column's entries go
// by. A and out have whole packets of rows.
template <class S, int kCount>
void multiply_rows(const Mat<S>& A, Index row, const Sparse<S>& B, Mat<S>& out) {
  using Packet = typename packets::packet_traits<S>::type;
  S* to = out.data() + row;
  for (std::size_t j = 0; j + 1 < B.start.size(); ++j, to += out.rows()) {
    Packet sum[kCount];
    for (Packet& s : sum) s = packets::pset1<Packet>(S(0));
    for (std::size_t k = B.start[j]; k < B.start[j + 1]; ++k) {
      const S* a = A.data() + row + B.row[k] * A.rows();
      const Packet b = packets::pset1<Packet>(B.value[k]);
      for (int i = 0; i < kCount; ++i)
        sum[i] = packets::pmadd(packets::pload<Packet>(a + i * kLanes<S>), b, sum[i]);
    }
    for (int i = 0; i < kCount; ++i) packets::pstore(to + i * kLanes<S>, sum[i]);
  }
}

}  // namespace

template <class S>
Index zeros(const Eigen::Ref<const Mat<S>>& A) {
  Index count = 0;
  for (Index j = 0; j < A.cols(); ++j) {
    const S* a = A.data() + j * A.outerStride();
    int here = 0;
    for (Index i = 0; i < A.rows(); ++i) here += a[i] == S(0) ? 1 : 0;
    count += here;
  }
  return count;
}

template <class S>
Sparse<S> sparse(const Eigen::Ref<const Mat<S>>& A) {
  Sparse<S> out;
  out.rows = A.rows();
  // A zero is written too, and then over: the processor has no branch to predict. So there is room
  // for one at the end.
  const auto entries = static_cast<std::size_t>(A.size() - zeros(A));
  out.row.resize(entries + 1);
  out.value.resize(entries + 1);
  std::size_t k = 0;
  for (Index j = 0; j < A.cols(); ++j) {
    for (Index i = 0; i < A.rows(); ++i) {
      out.row[k] = static_cast<int>(i);
      out.value[k] = A(i, j);
      k += A(i, j) != S(0) ? 1 : 0;
    }
    out.start.push_back(k);
  }
  out.row.pop_back();
  out.value.pop_back();
  return out;
}

template <class S>
Sparse<S> transposed(const Sparse<S>& A) {
  Sparse<S> out;
  out.rows = A.cols();
  out.start.assign(static_cast<std::size_t>(A.rows) + 1, 0);
  for (const int i : A.row) ++out.start[static_cast<std::size_t>(i) + 1];
  for (std::size_t i = 1; i < out.start.size(); ++i) out.start[i] += out.start[i - 1];
  out.row.resize(A.row.size());
  out.value.resize(A.row.size());
  std::vector<std::size_t> next(out.start.begin(), out.start.end() - 1);
  for_each_entry(A, [&](Index i, Index j, S value) {
    const std::size_t k = next[static_cast<std::size_t>(i)]++;
    out.row[k] = static_cast<int>(j);
    out.value[k] = value;
  });
  return out;
}

template <class S>
Mat<S> multiply(const Eigen::Ref<const Mat<S>>& A, const Sparse<S>& B) {
  VARGP_CHECK(A.cols() == B.rows);
  constexpr Index kLane = kLanes<S>;
  const Index rows = (A.rows() + kLane - 1) / kLane * kLane;
  Mat<S> padded(rows, A.cols()), out(rows, B.cols());
  padded.topRows(A.rows()) = A;
  padded.bottomRows(rows - A.rows()).setZero();
  for (Index row = 0; row < rows;) {
    const Index lanes = (rows - row) / kLane;
    const int count = lanes >= 8 ? 8 : lanes >= 4 ? 4 : lanes >= 2 ? 2 : 1;
    (count == 8   ? multiply_rows<S, 8>
     : count == 4 ? multiply_rows<S, 4>
     : count == 2 ? multiply_rows<S, 2>
                  : multiply_rows<S, 1>)(padded, row, B, out);
    row += count * kLane;
  }
  if (rows == A.rows()) return out;
  return out.topRows(A.rows());
}

template struct Sparse<float>;
template struct Sparse<double>;
template Index zeros(const Eigen::Ref<const Mat<float>>&);
template Index zeros(const Eigen::Ref<const Mat<double>>&);
template Sparse<float> sparse(const Eigen::Ref<const Mat<float>>&);
template Sparse<double> sparse(const Eigen::Ref<const Mat<double>>&);
template Sparse<float> transposed(const Sparse<float>&);
template Sparse<double> transposed(const Sparse<double>&);
template Mat<float> multiply(const Eigen::Ref<const Mat<float>>&, const Sparse<float>&);
template Mat<double> multiply(const Eigen::Ref<const Mat<double>>&, const Sparse<double>&);

}  // namespace vargp
