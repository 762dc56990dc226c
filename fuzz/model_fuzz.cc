// What a model makes of a file whose checksums are right.
#include "fuzz/sealed_mutator.h"
#include "vargp/api/classifier.h"
#include "vargp/core/exceptions.h"
#include "vargp/io/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vargp;  // NOLINT
  try {
    State state = parse_safetensors("file", {reinterpret_cast<const char*>(data), size},
                                    std::shared_ptr<const void>(data, [](const void*) {}));
    const Classifier model = Classifier::from(state, 1);
  } catch (const Error&) {
  }
  return 0;
}
