#include "vargp/io/state.h"

#include "vargp/core/error.h"

namespace vargp {

std::string_view name_of(Dtype dtype) {
  return dtype == Dtype::kF32 ? "F32" : dtype == Dtype::kF64 ? "F64" : "I64";
}

std::size_t size_of(Dtype dtype) { return dtype == Dtype::kF32 ? 4 : 8; }

char* StateWriter::put(const std::string& name, Dtype dtype, std::vector<Index> shape,
                       std::size_t count) {
  Tensor& tensor = state_.tensors[prefix_ + name];
  VARGP_CHECK(tensor.bytes.empty());  // every name once
  tensor = {dtype, std::move(shape), std::string(count * size_of(dtype), '\0'), {}, nullptr};
  return tensor.bytes.data();
}

Tensor StateReader::take(const std::string& name, Dtype dtype, std::size_t dimensions) {
  const auto found = state_.tensors.find(prefix_ + name);
  require(found != state_.tensors.end(), "{}: tensor {} is missing", state_.source, prefix_ + name);
  Tensor tensor = std::move(found->second);
  state_.tensors.erase(found);
  require(tensor.dtype == dtype, "{}: tensor {} has dtype {}, expected {}", state_.source,
          prefix_ + name, name_of(tensor.dtype), name_of(dtype));
  require(tensor.shape.size() == dimensions, "{}: tensor {} has {} dimensions, expected {}",
          state_.source, prefix_ + name, tensor.shape.size(), dimensions);
  return tensor;
}

void StateReader::expect(bool rule, std::string_view what) const {
  require(rule, "{}: expected {}{}", state_.source, prefix_, what);
}

bool StateReader::has(const std::string& name) const {
  const std::string full = prefix_ + name;
  if (state_.tensors.contains(full)) return true;
  const auto below = state_.tensors.lower_bound(full + "/");
  return below != state_.tensors.end() && below->first.starts_with(full + "/");
}

void StateReader::finish() const {
  for (const auto& [name, tensor] : state_.tensors)
    require(!name.starts_with(prefix_), "{}: tensor {} is not known", state_.source, name);
}

}  // namespace vargp
