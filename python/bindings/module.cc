// The module vargp._core: what the Python files of the package call. Its types are in _core.pyi.
#include "python/bindings/module.h"

#include "vargp/core/exceptions.h"
#include "vargp/io/environment.h"

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  using namespace vargp;
  module.doc() = "The library behind the package vargp. Not an interface: use vargp itself.";
  module.attr("__version__") = version();
  // Bad input is a ValueError, as it is everywhere in scikit-learn.
  py::register_exception<Error>(module, "Error", PyExc_ValueError);
  py::register_exception<NumericalError>(module, "NumericalError", PyExc_ArithmeticError);
  python::define_model(module);
  python::define_metrics(module);
  python::define_experiments(module);
}
