// The parts of the module vargp._core, each defined in a file of its own.
#pragma once

#include <pybind11/pybind11.h>

namespace vargp::python {

void define_model(pybind11::module_& module);
void define_metrics(pybind11::module_& module);
void define_experiments(pybind11::module_& module);

}  // namespace vargp::python
