// NumPy arrays as the library's points, and arrays for its answers.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <vector>

#include "vargp/api/types.h"

namespace vargp::python {

namespace py = pybind11;

// A view of an array [N, D] of float32 or float64 in any layout (C, Fortran, every other row, a
// read-only memory map). It holds on to the array. Only what a view cannot follow is copied:
// strides that are negative or no multiple of the number's size.
class PointsView {
 public:
  explicit PointsView(py::array array);
  const Points& points() const { return points_; }

 private:
  py::array array_;
  Points points_;
};

// An array [rows, cols] or [rows] of float64, in C order, to be filled.
inline py::array_t<double> new_array(Index rows) { return py::array_t<double>(rows); }
inline py::array_t<double> new_array(Index rows, Index cols) {
  return py::array_t<double>(std::vector<py::ssize_t>{rows, cols});
}

}  // namespace vargp::python
