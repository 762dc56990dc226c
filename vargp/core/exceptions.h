// Two kinds of trouble that a caller can meet.
#pragma once

#include <stdexcept>

namespace vargp {

// The caller's: bad input or options. The text says what, where, and what was expected.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The data's: a matrix could not be factorised or the bound is not finite.
class NumericalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace vargp
