// What a model makes of a state that is well formed and wrong: it is refused, or everything that
// inspect and predict ask of it has an answer. How a file becomes a state is safetensors_fuzz's.
//
// An input is a list of changes to one of the models in models/: numbers, shapes, types and names
// of tensors, and the texts beside them. So every input gets past the header and its checksums.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "vargp/core/exceptions.h"
#include "vargp/io/safetensors.h"
#include "vargp/table/table_model.h"

namespace vargp {
namespace {

std::vector<State> read_models() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(VARGP_FUZZ_MODELS))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<State> out;
  for (const auto& file : files) {
    State& state = out.emplace_back(read_safetensors(file));
    for (auto& [name, tensor] : state.tensors) {
      tensor.bytes = tensor.values();
      tensor.file.reset();
    }
  }
  return out;
}

template <class Map>
auto pick(FuzzedDataProvider& input, Map& map) {
  return std::next(map.begin(),
                   input.ConsumeIntegralInRange<std::ptrdiff_t>(0, std::ssize(map) - 1));
}

// As many bytes as the shape and the type say: what a reader of files makes sure of.
void fill(Tensor& tensor) {
  std::size_t bytes = size_of(tensor.dtype);
  for (const Index size : tensor.shape) bytes *= static_cast<std::size_t>(size);
  tensor.bytes.resize(bytes);
}

void change_number(FuzzedDataProvider& input, Tensor& tensor) {
  const std::size_t size = size_of(tensor.dtype), count = tensor.bytes.size() / size;
  if (count == 0) return;
  char* at = tensor.bytes.data() + size * input.ConsumeIntegralInRange<std::size_t>(0, count - 1);
  if (tensor.dtype == Dtype::kI64) {
    const auto value = input.ConsumeBool() ? input.ConsumeIntegralInRange<Index>(-2, 5)
                                           : input.ConsumeIntegral<Index>();
    std::memcpy(at, &value, size);
    return;
  }
  constexpr double kOdd[] = {0, -1, 1, 1e-300, 1e-30, 1e30, 1e300, -1e300, 700, -700, 1e9};
  const double value =
      input.ConsumeBool() ? input.PickValueInArray(kOdd) : input.ConsumeFloatingPoint<double>();
  if (tensor.dtype == Dtype::kF64) std::memcpy(at, &value, size);
  if (tensor.dtype == Dtype::kF32) {
    constexpr double kMost = std::numeric_limits<float>::max();
    const auto narrow = static_cast<float>(std::clamp(value, -kMost, kMost));
    std::memcpy(at, &narrow, size);
  }
}

void change(FuzzedDataProvider& input, State& state) {
  const auto entry = pick(input, state.tensors);
  Tensor& tensor = entry->second;
  std::string& text = pick(input, state.text)->second;
  switch (input.ConsumeIntegralInRange(0, 9)) {
    case 0:
      tensor.shape.resize(input.ConsumeIntegralInRange<std::size_t>(0, 3));
      for (Index& size : tensor.shape) size = input.ConsumeIntegralInRange<Index>(0, 5);
      return fill(tensor);
    case 1:
      if (!tensor.shape.empty()) tensor.shape.front() += input.ConsumeBool() ? 1 : 0;
      return fill(tensor);
    case 2:
      tensor.dtype = input.PickValueInArray({Dtype::kF32, Dtype::kF64, Dtype::kI64});
      return fill(tensor);
    case 3:
      state.tensors.erase(entry);
      return;
    case 4:
      state.tensors[input.ConsumeBool() ? pick(input, state.tensors)->first
                                        : input.ConsumeRandomLengthString(20)] = Tensor(tensor);
      return;
    case 5:
      if (!text.empty())
        text[input.ConsumeIntegralInRange<std::size_t>(0, text.size() - 1)] =
            input.ConsumeIntegral<char>();
      return;
    case 6:
      text.replace(input.ConsumeIntegralInRange<std::size_t>(0, text.size()),
                   input.ConsumeIntegralInRange<std::size_t>(0, 8),
                   input.ConsumeRandomLengthString(20));
      return;
    default:
      change_number(input, tensor);
  }
}

}  // namespace
}  // namespace vargp

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vargp;  // NOLINT
  static const std::vector<State> models = read_models();
  FuzzedDataProvider input(data, size);
  State state = models[input.ConsumeIntegralInRange<std::size_t>(0, models.size() - 1)];
  while (input.remaining_bytes() > 0 && !state.tensors.empty()) change(input, state);
  std::optional<TableModel> model;
  try {
    model = TableModel::from(state, 1);
  } catch (const Error&) {
    return 0;
  }
  if (model->tasks() == 0) return 0;
  model->lengthscales();
  model->inducing_inputs();
  try {
    model->moved();
  } catch (const NumericalError&) {  // predictions of absurd numbers
  }
  return 0;
}
