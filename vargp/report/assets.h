// The files that every report is made of, carried inside the program.
#pragma once

#include <string_view>

namespace vargp {

struct Asset {
  std::string_view name, text;
  std::string_view sha256;  // in base64, as a content-security policy names a script or a style
};

// By its file name. A name that is not there is our fault.
const Asset& asset(std::string_view name);

}  // namespace vargp
