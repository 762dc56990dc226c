// How the exceptions of exceptions.h are thrown, and the check for what is nobody's fault but ours:
// VARGP_CHECK aborts on a broken invariant, in release builds too.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "vargp/core/exceptions.h"

namespace vargp {

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

// Options are checked with this: the text names the field, its value and the rule.
template <class... Args>
void require(bool rule, fmt::format_string<Args...> format, Args&&... args) {
  if (!rule) throw Error(fmt::format(format, std::forward<Args>(args)...));
}

[[noreturn]] inline void broken_invariant(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: this should always hold: %s\n", file, line, condition);
  std::abort();
}

}  // namespace vargp

#define VARGP_CHECK(condition) \
  ((condition) ? void(0) : ::vargp::broken_invariant(__FILE__, __LINE__, #condition))
