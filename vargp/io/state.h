// The state of a model as named tensors: what is put into a file, and comes back with the same
// bits.
//
// A class lists its fields once, for both directions:
//
//   template <class Archive>
//   void fields(Archive& a) {
//     a("m", m);          // matrices, numbers, lists of numbers,
//     a("Ls", Ls);        // lists of matrices (Ls/0, Ls/1, ..),
//     a("hyper", hyper);  // and classes with fields of their own (hyper/mean, ..)
//     a.expect(std::ssize(Ls) == m.cols(), "a factor for every output");  // checked on reading
//   }
//
// StateWriter puts them into a State, StateReader takes them out again. A class that lists its
// fields needs to include nothing for it.
#pragma once

#include <cmath>
#include <concepts>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vargp/core/types.h"

namespace vargp {

enum class Dtype { kF32, kF64, kI64 };

// Row-major, as in safetensors and in NumPy.
struct Tensor {
  Dtype dtype = Dtype::kF64;
  std::vector<Index> shape;          // empty: one number
  std::string bytes;                 // its own, or
  std::string_view mapped;           // those in a mapped file, which
  std::shared_ptr<const void> file;  // stays mapped as long as this; at any address

  std::string_view values() const { return file ? mapped : std::string_view(bytes); }
};

struct State {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> text;
  std::string source = "state";  // the file it came from, for errors
};

std::string_view name_of(Dtype dtype);  // F32, ..
std::size_t size_of(Dtype dtype);       // bytes of one number

template <class T>
concept Number = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, Index>;
template <Number T>
constexpr Dtype dtype_of() {
  if constexpr (std::same_as<T, float>) return Dtype::kF32;
  if constexpr (std::same_as<T, double>) return Dtype::kF64;
  if constexpr (std::same_as<T, Index>) return Dtype::kI64;
}
template <class T>
concept Matrix = std::derived_from<T, Eigen::PlainObjectBase<T>>;

class StateWriter {
 public:
  static constexpr bool kReads = false;
  explicit StateWriter(State& state, std::string prefix = "")
      : state_(state), prefix_(std::move(prefix)) {}

  template <class T>
  void operator()(const std::string& name, const T& value) {
    if constexpr (Matrix<T>) {
      using S = typename T::Scalar;
      // A vector has one dimension.
      const std::vector<Index> shape = T::ColsAtCompileTime == 1
                                           ? std::vector<Index>{value.rows()}
                                           : std::vector<Index>{value.rows(), value.cols()};
      char* bytes = put(name, dtype_of<S>(), shape, static_cast<std::size_t>(value.size()));
      Eigen::Map<RowMat<S>>(reinterpret_cast<S*>(bytes), value.rows(), value.cols()) = value;
    } else if constexpr (Number<T>) {
      std::memcpy(put(name, dtype_of<T>(), {}, 1), &value, sizeof value);
    } else if constexpr (requires { typename T::value_type; }) {
      if constexpr (Number<typename T::value_type>) {
        operator()(name, Vec<typename T::value_type>(Eigen::Map<const Vec<typename T::value_type>>(
                             value.data(), std::ssize(value))));
      } else {
        for (std::size_t i = 0; i < value.size(); ++i)
          operator()(name + "/" + std::to_string(i), value[i]);
      }
    } else {
      StateWriter part(state_, prefix_ + name + "/");
      const_cast<T&>(value).fields(part);  // NOLINT: they change nothing here
    }
  }
  void expect(bool, std::string_view) const {}

 private:
  // Room for that many numbers.
  char* put(const std::string& name, Dtype dtype, std::vector<Index> shape, std::size_t count);

  State& state_;
  std::string prefix_;
};

// Whatever does not fit gives an Error that names the file, the tensor and what was expected. What
// was read is no longer in the state. A matrix or list that is not empty keeps its size: another
// one in the file is an error.
class StateReader {
 public:
  static constexpr bool kReads = true;
  explicit StateReader(State& state, std::string prefix = "")
      : state_(state), prefix_(std::move(prefix)) {}

  template <class T>
  void operator()(const std::string& name, T& value) {
    if constexpr (Matrix<T>) {
      using S = typename T::Scalar;
      const Tensor t = take(name, dtype_of<S>(), T::ColsAtCompileTime == 1 ? 1 : 2);
      const Index rows = t.shape[0], cols = t.shape.size() > 1 ? t.shape[1] : 1;
      if (value.size() > 0)
        expect(rows == value.rows() && cols == value.cols(),
               name + " of " + std::to_string(value.rows()) + " rows and " +
                   std::to_string(value.cols()) + " columns");
      RowMat<S> values(rows, cols);
      copy(t, values.data());
      value = values;
      expect(value.allFinite(), name + " of finite numbers");
    } else if constexpr (Number<T>) {
      copy(take(name, dtype_of<T>(), 0), &value);
      if constexpr (std::floating_point<T>) expect(std::isfinite(value), name + ", finite");
    } else if constexpr (requires { typename T::value_type; }) {
      using Item = typename T::value_type;
      if constexpr (Number<Item>) {
        const Tensor t = take(name, dtype_of<Item>(), 1);
        value.resize(static_cast<std::size_t>(t.shape[0]));
        copy(t, value.data());
      } else {
        const std::size_t before = value.size();
        std::size_t count = 0;
        while (has(name + "/" + std::to_string(count))) ++count;
        expect(before == 0 || before == count, name + " of " + std::to_string(before) + " parts");
        value.resize(count);
        for (std::size_t i = 0; i < count; ++i)
          operator()(name + "/" + std::to_string(i), value[i]);
      }
    } else {
      StateReader part(state_, prefix_ + name + "/");
      value.fields(part);
    }
  }
  // What must hold for what was read.
  void expect(bool rule, std::string_view what) const;

  // Is there a tensor of this name, or below it?
  bool has(const std::string& name) const;
  // Everything has been read, or an Error names what has not.
  void finish() const;

 private:
  Tensor take(const std::string& name, Dtype dtype, std::size_t dimensions);
  // Tensors need not be aligned as numbers are.
  static void copy(const Tensor& tensor, void* to) {
    if (!tensor.values().empty()) std::memcpy(to, tensor.values().data(), tensor.values().size());
  }

  State& state_;
  std::string prefix_;
};

}  // namespace vargp
