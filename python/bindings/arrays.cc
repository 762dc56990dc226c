#include "python/bindings/arrays.h"

#include <cstdint>
#include <utility>

#include "vargp/core/error.h"

namespace vargp::python {
namespace {

template <class S>
bool follows(const py::array& array) {
  constexpr auto kSize = static_cast<py::ssize_t>(sizeof(S));
  for (int i = 0; i < 2; ++i)
    if (array.strides(i) < 0 || array.strides(i) % kSize != 0) return false;
  return reinterpret_cast<std::uintptr_t>(array.data()) % alignof(S) == 0;
}

// Changes the array only if it must be copied.
template <class S>
Points view(py::array& array) {
  if (!follows<S>(array)) array = py::array_t<S, py::array::c_style | py::array::forcecast>(array);
  constexpr auto kSize = static_cast<Index>(sizeof(S));
  return {static_cast<const S*>(array.data()), array.shape(0), array.shape(1),
          array.strides(0) / kSize, array.strides(1) / kSize};
}

}  // namespace

PointsView::PointsView(py::array array) : array_(std::move(array)) {
  require(array_.ndim() == 2, "X has {} dimensions, expected 2: rows and columns", array_.ndim());
  if (py::isinstance<py::array_t<float>>(array_))
    points_ = view<float>(array_);
  else if (py::isinstance<py::array_t<double>>(array_))
    points_ = view<double>(array_);
  else
    fail("X has the dtype {}, expected float32 or float64",
         py::str(array_.dtype()).cast<std::string>());
}

}  // namespace vargp::python
