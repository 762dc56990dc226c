#include "vargp/report/assets.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "vargp/core/error.h"
#include "vargp/io/base64.h"

// The bytes of every file between two labels, as the assembler reads them.
#define VARGP_ASSET(number, name, path, sum)                                                   \
  asm(".section .rodata\n.global vargp_asset_" #number "\nvargp_asset_" #number                \
      ":\n.incbin \"" path "\"\n.global vargp_asset_end_" #number "\nvargp_asset_end_" #number \
      ":\n.byte 0\n.previous\n");                                                              \
  extern "C" const char vargp_asset_##number[], vargp_asset_end_##number[];
#include "vargp_assets.inc"
#undef VARGP_ASSET

namespace vargp {
namespace {

std::string base64_of_hex(std::string_view hex) {
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(
        static_cast<unsigned char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return base64(bytes);
}

struct Stored {
  Asset asset;
  std::string sum;
};

}  // namespace

const Asset& asset(std::string_view name) {
#define VARGP_ASSET(number, name, path, sum)                                           \
  Stored{{name,                                                                        \
          {vargp_asset_##number,                                                       \
           static_cast<std::size_t>(vargp_asset_end_##number - vargp_asset_##number)}, \
          {}},                                                                         \
         base64_of_hex(sum)},
  static const auto assets = [] {
    std::vector<Stored> out = {
#include "vargp_assets.inc"
    };
    for (Stored& stored : out) stored.asset.sha256 = stored.sum;
    return out;
  }();
#undef VARGP_ASSET
  const auto found = std::find_if(assets.begin(), assets.end(),
                                  [&](const Stored& s) { return s.asset.name == name; });
  VARGP_CHECK(found != assets.end());
  return found->asset;
}

}  // namespace vargp
