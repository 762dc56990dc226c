// Raw rows that a baseline keeps: a coreset, or a buffer to replay.
#pragma once

#include <vector>

#include "vargp/baselines/options.h"
#include "vargp/core/random.h"
#include "vargp/data/dataset.h"

namespace vargp {

struct KeptRows {
  RowMat<float> X;       // [n, D]
  std::vector<Index> y;  // [n]

  Index size() const { return X.rows(); }

  template <class Archive>
  void fields(Archive& a) {
    a("X", X);
    a("y", y);
    a.expect(X.rows() == std::ssize(y), "a label for every row");
  }
};

KeptRows keep(const Dataset& data, const std::vector<Index>& rows);
// All of them, one below the other; C classes.
Dataset together(const std::vector<KeptRows>& parts, int C);

// count of the rows, at random, or as k-centre: each the farthest from those chosen before it
// (Gonzalez 1985), the first at random. In that order.
std::vector<Index> choose_rows(const RowMat<float>& X, Index count, CoresetChoice how,
                               Random random);
// The other rows, ascending.
std::vector<Index> all_but(const std::vector<Index>& rows, Index N);

}  // namespace vargp
