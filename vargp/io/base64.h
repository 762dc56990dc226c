// Bytes as text (RFC 4648, with padding): "f" is "Zg==", "foo" is "Zm9v".
#pragma once

#include <span>
#include <string>

namespace vargp {

std::string base64(std::span<const unsigned char> bytes);

}  // namespace vargp
