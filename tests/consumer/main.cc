// A program outside the project: it knows the installed headers and library, and nothing else.
#include <vargp/vargp.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int kPerClass = 30;

// Class c: a small circle of points around (3c, 0).
Eigen::MatrixXd circle(int c) {
  Eigen::MatrixXd X(kPerClass, 2);
  for (int i = 0; i < kPerClass; ++i)
    X.row(i) << 3.0 * c + 0.5 * std::cos(0.7 * i), 0.5 * std::sin(0.7 * i);
  return X;
}

Eigen::MatrixXd above(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  Eigen::MatrixXd both(A.rows() + B.rows(), A.cols());
  both << A, B;
  return both;
}

std::vector<int> labels(int first, int second) {
  std::vector<int> y(kPerClass, first);
  y.resize(2 * kPerClass, second);
  return y;
}

}  // namespace

int main() {
  vargp::ClassifierOptions options;
  options.inducing = 20;
  vargp::Classifier model(options);
  std::puts(model.learn(above(circle(0), circle(1)), labels(0, 1)).brief().c_str());
  std::puts(model.learn(above(circle(2), circle(3)), labels(2, 3)).brief().c_str());

  // What comes back was allocated by the library and is freed here, and the other way round: both
  // must agree on how Eigen aligns memory, though they may be compiled for different processors.
  const vargp::ClassPrediction p = model.predict(Eigen::MatrixXd{{0, 0}, {3, 0}, {6, 0}, {9, 0}});
  for (int c = 0; c < 4; ++c) {
    std::printf("point %d: class %d with probability %.2f\n", c, p.label[c], p.probability(c, c));
    if (p.label[c] != c || std::abs(p.probability.row(c).sum() - 1) > 1e-9) return 1;
  }

  try {
    model.predict(Eigen::MatrixXd::Zero(1, 3).eval());
    return 1;
  } catch (const vargp::Error& error) {
    std::printf("as it should be: %s\n", error.what());
  }
  return 0;
}
