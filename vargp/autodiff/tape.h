// A reverse-mode tape whose entries are whole matrices.
//
//   Tape<double> tape;
//   auto A = tape.variable(a), B = tape.constant(b);
//   auto loss = sum(matmul(A, B));
//   tape.backward(loss);          // A.grad() is now d loss / d A
//
// An op computes its value at once and leaves a function that, given the adjoint of the value, adds
// to the adjoints of its arguments. Value and adjoint stand side by side in ops.h. The tape owns
// all it needs until it is destroyed; there is no global state, so tapes on different threads do
// not meet, except through parallel() below.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "vargp/core/error.h"
#include "vargp/core/parallel.h"
#include "vargp/core/types.h"

namespace vargp {

template <class S>
class Tape;

namespace internal {
template <class S>
struct Node {
  Mat<S> own;                     // the value, unless it lies elsewhere
  const Mat<S>* value = nullptr;  // &own, or a matrix that outlives the tape
  Mat<S> grad;                    // empty until something is added to it
  bool wants_grad = false;
  std::function<void(const Mat<S>& value, const Mat<S>& d)> adjoint;  // of an op that wants it
};
}  // namespace internal

// A handle to an entry of a tape; cheap to copy.
template <class S>
class Var {
 public:
  Var() = default;
  Var(Tape<S>* tape, internal::Node<S>* node) : tape_(tape), node_(node) {}

  const Mat<S>& value() const { return *node_->value; }
  Index rows() const { return value().rows(); }
  Index cols() const { return value().cols(); }
  bool wants_grad() const { return node_->wants_grad; }
  Tape<S>& tape() const { return *tape_; }
  bool valid() const { return node_ != nullptr; }

  // After backward(): zero if nothing depends on this.
  Mat<S> grad() const {
    return node_->grad.size() > 0 ? node_->grad : Mat<S>(Mat<S>::Zero(rows(), cols()));
  }

  // Adds an expression to the gradient. Call only where wants_grad().
  template <class Expression>
  void add_grad(const Eigen::MatrixBase<Expression>& e) const {
    if (node_->grad.size() == 0)
      node_->grad.noalias() = e.derived();
    else
      node_->grad.noalias() += e.derived();
  }

  void add_grad(Mat<S>&& e) const {
    if (node_->grad.size() == 0)
      node_->grad = std::move(e);
    else
      node_->grad += e;
  }

  // The gradient as a matrix to add blocks to.
  Mat<S>& grad_ref() const {
    if (node_->grad.size() == 0) node_->grad.setZero(rows(), cols());
    return node_->grad;
  }

 private:
  friend class Tape<S>;
  Tape<S>* tape_ = nullptr;
  internal::Node<S>* node_ = nullptr;
};

template <class S>
class Tape {
 public:
  Tape() = default;
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  Var<S> variable(Mat<S> value) { return leaf(std::move(value), true); }
  Var<S> constant(Mat<S> value) { return leaf(std::move(value), false); }
  // The same of a matrix that is not copied: it must outlive the tape.
  Var<S> variable_ref(const Mat<S>& value) { return reference(&value, true); }
  Var<S> constant_ref(const Mat<S>& value) { return reference(&value, false); }

  // An op: its value, the arguments it may send gradients to, and the function that does so.
  template <class Adjoint>
  Var<S> record(Mat<S> value, const std::vector<Var<S>>& arguments, Adjoint adjoint) {
    bool wanted = false;
    for (const Var<S>& a : arguments) wanted = wanted || a.wants_grad();
    Var<S> out = leaf(std::move(value), wanted);
    if (wanted) out.node_->adjoint = std::move(adjoint);
    return out;
  }

  // Fills in d loss / d v for every v that wants it. loss is [1, 1].
  void backward(const Var<S>& loss) {
    VARGP_CHECK(loss.value().size() == 1);
    backward(std::vector<std::pair<Var<S>, Mat<S>>>{{loss, Mat<S>::Ones(1, 1)}});
  }

  // The same from given adjoints of several entries. Where nobody will look at the gradients of ops
  // (`spend`), what an op has passed on is let go at once: the next finds its memory still warm.
  void backward(const std::vector<std::pair<Var<S>, Mat<S>>>& seeds, bool spend = false) {
    for (const auto& [v, adjoint] : seeds)
      if (v.wants_grad()) v.add_grad(adjoint);
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      if (!node->adjoint) continue;
      if (node->grad.size() > 0) node->adjoint(*node->value, node->grad);
      if (!spend) continue;
      node->adjoint = nullptr;
      node->grad.resize(0, 0);
    }
  }

  // For use inside parallel(): an entry of the surrounding tape, as a leaf of this one.
  Var<S> import(const Var<S>& outer) {
    Var<S> leaf = reference(&outer.value(), outer.wants_grad());
    if (outer.wants_grad()) imports_.emplace_back(outer, leaf);
    return leaf;
  }

  using Body = std::function<std::vector<Var<S>>(Tape& part, Index i)>;

  // Runs body(part, i) for i = 0 .. count - 1 at once, each on a tape of its own, and gives what it
  // returns as entries of this tape. The gradients of the parts are computed at once too and are
  // added up in the order of i: the result does not depend on the number of threads.
  std::vector<std::vector<Var<S>>> parallel(Index count, const Body& body) {
    using Outputs = std::vector<std::vector<Var<S>>>;
    auto parts = std::make_shared<std::vector<Tape>>(static_cast<std::size_t>(count));
    parts_.push_back(parts);
    auto inner = std::make_shared<Outputs>(static_cast<std::size_t>(count));
    parallel_for(count, [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      (*inner)[k] = body((*parts)[k], i);
    });
    bool wanted = false;
    for (const auto& outputs : *inner)
      for (const Var<S>& v : outputs) wanted = wanted || v.wants_grad();

    // This entry comes before the outputs, so its adjoint runs after theirs are complete.
    Var<S> section = leaf(Mat<S>::Zero(1, 1), wanted);
    auto outer = std::make_shared<Outputs>();
    for (const auto& outputs : *inner) {
      outer->emplace_back();
      for (const Var<S>& v : outputs)
        outer->back().push_back(reference(&v.value(), v.wants_grad()));
    }
    section.node_->adjoint = [parts, inner, outer](const Mat<S>&, const Mat<S>&) {
      parallel_for(static_cast<Index>(parts->size()), [&](Index i) {
        const auto k = static_cast<std::size_t>(i);
        std::vector<std::pair<Var<S>, Mat<S>>> seeds;
        for (std::size_t o = 0; o < (*inner)[k].size(); ++o)
          if (const Var<S>& v = (*outer)[k][o]; v.wants_grad() && v.node_->grad.size() > 0)
            seeds.emplace_back((*inner)[k][o], v.node_->grad);
        (*parts)[k].backward(seeds, true);
      });
      for (const Tape& part : *parts)
        for (const auto& [target, source] : part.imports_)
          if (source.node_->grad.size() > 0) target.add_grad(std::move(source.node_->grad));
    };
    section.node_->grad.setZero(1, 1);  // so that backward() always visits it
    return *outer;
  }

 private:
  Var<S> leaf(Mat<S> value, bool wants_grad) {
    auto& node = nodes_.emplace_back();
    node.own = std::move(value);
    node.value = &node.own;
    node.wants_grad = wants_grad;
    return Var<S>(this, &node);
  }

  Var<S> reference(const Mat<S>* value, bool wants_grad) {
    auto& node = nodes_.emplace_back();
    node.value = value;
    node.wants_grad = wants_grad;
    return Var<S>(this, &node);
  }

  std::deque<internal::Node<S>> nodes_;
  std::vector<std::pair<Var<S>, Var<S>>> imports_;
  std::vector<std::shared_ptr<std::vector<Tape>>> parts_;  // whose values this tape refers to
};

}  // namespace vargp
