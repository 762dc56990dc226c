#include "vargp/core/sparse.h"

#include <algorithm>
#include <array>
#include <utility>

#include "vargp/core/error.h"

namespace vargp {
namespace {

namespace packets = Eigen::internal;  // what the processor takes at once
template <class S>
constexpr int kLanes = packets::packet_traits<S>::size;

constexpr Index kMostPackets = 5;  // of rows at once: their sums stay in registers
constexpr Index kDepth = 192;      // columns of A at once: those rows of them stay in a near cache

// Rows of A B, kCount packets of them, while a column's entries go by. A has them one column after
// the other.
template <class S, int kCount>
void multiply_panel(const S* A, const Sparse<S>& B, S* out, Index stride) {
  using Packet = typename packets::packet_traits<S>::type;
  constexpr Index kRows = kCount * kLanes<S>;
  std::vector<std::size_t> next(B.start.begin(), B.start.end() - 1);  // entry of each column
  for (Index begin = 0; begin == 0 || begin < B.rows; begin += kDepth) {
    S* to = out;
    for (std::size_t j = 0; j < next.size(); ++j, to += stride) {
      Packet sum[kCount];
      for (int i = 0; i < kCount; ++i)
        sum[i] =
            begin == 0 ? packets::pset1<Packet>(S(0)) : packets::ploadu<Packet>(to + i * kLanes<S>);
      std::size_t k = next[j];
      for (; k < B.start[j + 1] && B.row[k] < begin + kDepth; ++k) {
        const S* a = A + B.row[k] * kRows;
        const Packet b = packets::pset1<Packet>(B.value[k]);
        for (int i = 0; i < kCount; ++i)
          sum[i] = packets::pmadd(packets::pload<Packet>(a + i * kLanes<S>), b, sum[i]);
      }
      next[j] = k;
      for (int i = 0; i < kCount; ++i) packets::pstoreu(to + i * kLanes<S>, sum[i]);
    }
  }
}

template <class S>
using Panel = void (*)(const S*, const Sparse<S>&, S*, Index);

// The one for each number of packets.
template <class S, int... kCounts>
constexpr std::array<Panel<S>, sizeof...(kCounts)> panels(std::integer_sequence<int, kCounts...>) {
  return {multiply_panel<S, kCounts + 1>...};
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
bool mostly_zeros(const Eigen::Ref<const Mat<S>>& A) {
  return mostly_zeros(zeros<S>(A), A.size());
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
  for (std::size_t j = 0; j + 1 < A.start.size(); ++j)
    for (std::size_t from = A.start[j]; from < A.start[j + 1]; ++from) {
      const std::size_t to = next[static_cast<std::size_t>(A.row[from])]++;
      out.row[to] = static_cast<int>(j);
      out.value[to] = A.value[from];
    }
  return out;
}

template <class S>
Vec<S> weighted_squares(const Vec<S>& w, const Sparse<S>& A) {
  VARGP_CHECK(w.size() == A.rows);
  constexpr std::size_t kSums = 8;  // side by side: none waits for the one before
  Vec<S> out(A.cols());
  for (Index j = 0; j < A.cols(); ++j) {
    std::size_t k = A.start[static_cast<std::size_t>(j)];
    const std::size_t end = A.start[static_cast<std::size_t>(j) + 1];
    S sums[kSums] = {};
    const auto term = [&](std::size_t at) { return w(A.row[at]) * A.value[at] * A.value[at]; };
    for (; k + kSums <= end; k += kSums)
      for (std::size_t i = 0; i < kSums; ++i) sums[i] += term(k + i);
    for (std::size_t i = 0; k + i < end; ++i) sums[i] += term(k + i);
    out(j) = 0;
    for (const S sum : sums) out(j) += sum;
  }
  return out;
}

template <class S>
Mat<S> multiply(const Eigen::Ref<const Mat<S>>& A, const Sparse<S>& B) {
  VARGP_CHECK(A.cols() == B.rows);
  static constexpr auto kPanels = panels<S>(std::make_integer_sequence<int, kMostPackets>());
  constexpr Index kLane = kLanes<S>;
  Mat<S> out(A.rows(), B.cols()), packed, last;
  const Index all = (A.rows() + kLane - 1) / kLane;  // packets, in panels as even as can be
  Index panels_left = (all + kMostPackets - 1) / kMostPackets, packets_left = all;
  for (Index row = 0; row < A.rows(); --panels_left) {
    const Index count = (packets_left + panels_left - 1) / panels_left;
    const Index whole = count * kLane, rows = std::min(whole, A.rows() - row);
    const auto panel = kPanels[static_cast<std::size_t>(count - 1)];
    packed.resize(whole, A.cols());
    packed.topRows(rows) = A.middleRows(row, rows);
    if (rows == whole) {
      panel(packed.data(), B, out.data() + row, out.rows());
    } else {  // filled up with zeros
      packed.bottomRows(whole - rows).setZero();
      last.resize(whole, B.cols());
      panel(packed.data(), B, last.data(), whole);
      out.middleRows(row, rows) = last.topRows(rows);
    }
    row += rows;
    packets_left -= count;
  }
  return out;
}

template <class S>
std::shared_ptr<const SparseInputs<S>> sparse_inputs(const Mat<S>& X) {
  if (!mostly_zeros<S>(X)) return {};
  auto out = std::make_shared<SparseInputs<S>>();
  out->by_input = sparse<S>(X);
  out->by_point = transposed(out->by_input);
  return out;
}

template struct Sparse<float>;
template struct Sparse<double>;
template Index zeros(const Eigen::Ref<const Mat<float>>&);
template Index zeros(const Eigen::Ref<const Mat<double>>&);
template Sparse<float> sparse(const Eigen::Ref<const Mat<float>>&);
template Sparse<double> sparse(const Eigen::Ref<const Mat<double>>&);
template Sparse<float> transposed(const Sparse<float>&);
template Sparse<double> transposed(const Sparse<double>&);
template bool mostly_zeros(const Eigen::Ref<const Mat<float>>&);
template bool mostly_zeros(const Eigen::Ref<const Mat<double>>&);
template Vec<float> weighted_squares(const Vec<float>&, const Sparse<float>&);
template Vec<double> weighted_squares(const Vec<double>&, const Sparse<double>&);
template std::shared_ptr<const SparseInputs<float>> sparse_inputs(const Mat<float>&);
template std::shared_ptr<const SparseInputs<double>> sparse_inputs(const Mat<double>&);
template Mat<float> multiply(const Eigen::Ref<const Mat<float>>&, const Sparse<float>&);
template Mat<double> multiply(const Eigen::Ref<const Mat<double>>&, const Sparse<double>&);

}  // namespace vargp
