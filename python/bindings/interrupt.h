// Ctrl-C while the library computes without the interpreter's lock.
#pragma once

#include <pybind11/pybind11.h>

namespace vargp::python {

// Takes the lock and lets Python handle the signals that have come. KeyboardInterrupt is thrown on
// as an exception, through the library, which then leaves everything as it was.
inline void check_signals() {
  const pybind11::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

}  // namespace vargp::python
