#include "vargp/baselines/kept_rows.h"

#include <algorithm>

namespace vargp {

KeptRows keep(const Dataset& data, const std::vector<Index>& rows) {
  const Dataset chosen = select(data, rows);
  return {chosen.X, {chosen.y.begin(), chosen.y.end()}};
}

Dataset together(const std::vector<KeptRows>& parts, int C) {
  std::vector<Dataset> sets;
  for (const KeptRows& part : parts) {
    Dataset set;
    set.X = part.X;
    for (const Index label : part.y) set.y.push_back(static_cast<int>(label));
    set.C = C;
    sets.push_back(std::move(set));
  }
  return concatenate(sets);
}

std::vector<Index> choose_rows(const RowMat<float>& X, Index count, CoresetChoice how,
                               Random random) {
  const Index N = X.rows();
  count = std::min(count, N);
  std::vector<Index> order = random.permutation(N);
  if (how == CoresetChoice::kRandom || count == 0) {
    order.resize(static_cast<std::size_t>(count));
    return order;
  }
  std::vector<Index> chosen = {order.front()};
  Vec<float> distance = (X.rowwise() - X.row(chosen[0])).rowwise().squaredNorm();
  while (std::ssize(chosen) < count) {
    Index farthest = 0;
    distance.maxCoeff(&farthest);
    if (distance(farthest) <= 0) break;  // only copies of chosen rows are left
    chosen.push_back(farthest);
    distance = distance.cwiseMin((X.rowwise() - X.row(farthest)).rowwise().squaredNorm());
  }
  return chosen;
}

std::vector<Index> all_but(const std::vector<Index>& rows, Index N) {
  std::vector<bool> out(static_cast<std::size_t>(N), true);
  for (const Index row : rows) out[static_cast<std::size_t>(row)] = false;
  std::vector<Index> rest;
  for (Index i = 0; i < N; ++i)
    if (out[static_cast<std::size_t>(i)]) rest.push_back(i);
  return rest;
}

}  // namespace vargp
