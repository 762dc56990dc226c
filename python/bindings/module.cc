// The module vargp._core: what the Python files of the package call. Its types are in _core.pyi.
#include "python/bindings/module.h"

#include "vargp/core/exceptions.h"
#include "vargp/io/environment.h"

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  module.doc() = "The library behind the package vargp. Not an interface: use vargp itself.";
  module.attr("__version__") = vargp::version();
  // Bad input is a ValueError, as it is everywhere in scikit-learn.
  py::register_exception<vargp::Error>(module, "Error", PyExc_ValueError);
  py::register_exception<vargp::NumericalError>(module, "NumericalError", PyExc_ArithmeticError);
  vargp::python::define_model(module);
  vargp::python::define_metrics(module);
  vargp::python::define_experiments(module);
}
