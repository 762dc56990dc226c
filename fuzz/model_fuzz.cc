// What a model makes of a file whose checksums are right: it is refused, or everything that inspect
// and predict ask of it has an answer.
#include "fuzz/sealed_mutator.h"
#include "vargp/core/exceptions.h"
#include "vargp/table/table_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vargp;  // NOLINT
  try {
    const TableModel model =
        TableModel::from_bytes({reinterpret_cast<const char*>(data), size}, "file", 1);
    if (model.tasks() == 0) return 0;
    model.lengthscales();
    model.inducing_inputs();
    model.moved();  // predicts
  } catch (const Error&) {
  } catch (const NumericalError&) {
  }
  return 0;
}
