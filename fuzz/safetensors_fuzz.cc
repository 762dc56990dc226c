// Model files: the header, the tensors, and a class that takes its fields from them.
#include "fuzz/sealed_mutator.h"
#include "vargp/core/exceptions.h"
#include "vargp/io/safetensors.h"

namespace {

struct Part {
  vargp::Mat<float> A;
  vargp::Vec<double> v;
  template <class Archive>
  void fields(Archive& a) {
    a("A", A);
    a("v", v);
    a.expect(A.rows() == v.size(), "as many rows of A as entries of v");
  }
};

struct Whole {
  vargp::Index count = 0;
  double s2 = 0;
  std::vector<vargp::Index> sizes;
  std::vector<Part> parts;
  template <class Archive>
  void fields(Archive& a) {
    a("count", count);
    a("s2", s2);
    a("sizes", sizes);
    a("parts", parts);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vargp;  // NOLINT
  try {
    // The bytes outlive the state, so nothing needs to be kept.
    State state = parse_safetensors("file", {reinterpret_cast<const char*>(data), size},
                                    std::shared_ptr<const void>(data, [](const void*) {}));
    Whole whole;
    StateReader reader(state);
    reader("whole", whole);
    reader.finish();
  } catch (const Error&) {
  }
  return 0;
}
