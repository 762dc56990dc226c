#include "vargp/io/safetensors.h"

#define XXH_INLINE_ALL  // NOLINT
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "vargp/core/error.h"
#include "vargp/io/atomic_file.h"
#include "vargp/io/environment.h"
#include "vargp/io/mapped_file.h"

namespace vargp {

std::string checksum(std::string_view bytes) {
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they are");

constexpr const char* kVersion = "1";
// As JSON in memory a header takes some twenty times its length. The reference implementation has a
// limit of 100 MB.
constexpr std::uint64_t kLongestHeader = std::uint64_t{1} << 24;
constexpr std::string_view kHeaderSum = "\"xxh3\":\"";
constexpr std::string_view kNoSum = "0000000000000000";
constexpr std::string_view kTensorSum = "xxh3:";

// Reads the header's JSON. What is deeper than any header is not read, nor a key that comes twice.
nlohmann::json parse_header(const std::string& file, const std::string& text) {
  using Json = nlohmann::json;
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, Json::parse_event_t event, Json& value) {
    require(depth <= 4, "{}: the header is nested deeper than 4", file);
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key)
      require(keys.back().insert(value.get<std::string>()).second,
              "{}: the header has the key {} twice", file, value.dump());
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::exception& error) {
    fail("{}: the header is not JSON: {}", file, error.what());
  }
}

// Where a tensor's bytes stand, after everything about it has been checked but its bytes.
struct Place {
  std::string name;
  Tensor tensor;  // without bytes
  std::uint64_t begin = 0, end = 0;
};

Place place_of(const std::string& file, const std::string& name, const nlohmann::json& entry) {
  const auto need = [&](bool rule, std::string_view field, std::string_view expected) {
    require(
        rule, "{}: tensor {}: {} is {}, expected {}", file, name, field,
        entry.is_object() && entry.contains(field) ? entry[std::string(field)].dump() : "missing",
        expected);
  };
  const auto wholes = [&](const char* field) {
    need(entry.is_object() && entry.contains(field) && entry[field].is_array(), field, "a list");
    std::vector<std::uint64_t> out;
    for (const auto& item : entry[field]) {
      need(item.is_number_unsigned(), field, "whole numbers, 0 or above");
      out.push_back(item.get<std::uint64_t>());
    }
    return out;
  };
  Place out{name, {}, 0, 0};
  const auto offsets = wholes("data_offsets");
  need(offsets.size() == 2 && offsets[0] <= offsets[1], "data_offsets", "[begin, end]");
  need(entry.size() == 3 && entry.contains("dtype"), "dtype", "and no other fields");
  bool known = false;
  for (const Dtype d : {Dtype::kF32, Dtype::kF64, Dtype::kI64})
    if (entry["dtype"] == name_of(d)) out.tensor.dtype = d, known = true;
  need(known, "dtype", "F32, F64 or I64");
  std::uint64_t bytes = size_of(out.tensor.dtype);
  for (const std::uint64_t size : wholes("shape")) {
    // Nothing overflows, not even with a 0 among the sizes.
    need(size <= INT64_MAX, "shape", "sizes below 2^63");
    need(!__builtin_mul_overflow(bytes, size, &bytes), "shape", "a product below 2^64 bytes");
    out.tensor.shape.push_back(static_cast<Index>(size));
  }
  out.begin = offsets[0], out.end = offsets[1];
  need(out.end - out.begin == bytes, "data_offsets", fmt::format("{} bytes", bytes));
  return out;
}

// What could not be read again is not written: a NaN would cost the model that the file had before.
template <class S>
bool finite(std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(sizeof(S))) {
    S value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    if (!std::isfinite(value)) return false;
  }
  return true;
}
void check_finite(const std::string& name, const Tensor& tensor) {
  const bool is = tensor.dtype == Dtype::kF32   ? finite<float>(tensor.values())
                  : tensor.dtype == Dtype::kF64 ? finite<double>(tensor.values())
                                                : true;
  if (!is)
    throw NumericalError(fmt::format("{} of the model is not finite: it is not saved", name));
}

// The length of the header and the header: all that stands before the tensors.
std::string head_of(const State& state) {
  nlohmann::json header;
  nlohmann::json& metadata = header["__metadata__"];
  metadata["format"] = "vargp";
  metadata["format_version"] = kVersion;
  metadata["vargp"] = version();
  metadata["xxh3"] = kNoSum;
  for (const auto& [name, text] : state.text) {
    VARGP_CHECK(!metadata.contains(name));
    metadata[name] = text;
  }
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : state.tensors) {
    check_finite(name, tensor);
    metadata[std::string(kTensorSum) + name] = checksum(tensor.values());
    const std::uint64_t end = offset + tensor.values().size();
    header[name] = {
        {"dtype", name_of(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // tensors are aligned
  text.replace(text.find(kHeaderSum) + kHeaderSum.size(), kNoSum.size(), checksum(text));

  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const State& state) {
  const std::string head = head_of(state);
  AtomicFile file(path);
  file.write(head);
  for (const auto& [name, tensor] : state.tensors) file.write(tensor.values());
  file.commit();
}

std::string safetensors_bytes(const State& state) {
  std::string bytes = head_of(state);
  for (const auto& [name, tensor] : state.tensors) bytes += tensor.values();
  return bytes;
}

State read_safetensors(const std::filesystem::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  return parse_safetensors(path.string(), file->bytes(), file);
}

State parse_safetensors(const std::string& name, std::string_view bytes,
                        const std::shared_ptr<const void>& file) {
  const std::uint64_t size = bytes.size();
  std::uint64_t length = 0;
  require(size >= sizeof length, "{}: is no model file: it has {} bytes", name, size);
  std::memcpy(&length, bytes.data(), sizeof length);
  require(length <= std::min(size - sizeof length, kLongestHeader),
          "{}: is no model file, or a damaged one: it has {} bytes and claims a header of {}, "
          "expected at most {}",
          name, size, length, std::min(size - sizeof length, kLongestHeader));
  std::string text(bytes.substr(sizeof length, length));
  bytes.remove_prefix(sizeof length + length);
  const nlohmann::json header = parse_header(name, text);
  require(header.is_object() && header.contains("__metadata__"),
          "{}: the header has no __metadata__, expected a file written by vargp", name);
  State state;
  state.source = name;
  const auto& metadata = header["__metadata__"];
  for (const auto& [key, value] : metadata.items()) {
    require(metadata.is_object() && value.is_string(), "{}: __metadata__: {} is {}, expected text",
            name, key, value.dump());
    state.text[key] = value.get<std::string>();
  }
  // Takes a field of the metadata out.
  const auto take = [&](const std::string& key) {
    const auto found = state.text.find(key);
    require(found != state.text.end(),
            "{}: __metadata__ has no {}, expected a file written by vargp", name, key);
    return state.text.extract(found).mapped();
  };
  const std::string format = take("format"), format_version = take("format_version");
  require(format == "vargp", "{}: format is {}, expected vargp", name, format);
  require(format_version == kVersion, "{}: format_version is {}, expected {}", name, format_version,
          kVersion);
  take("vargp");
  const std::string claimed = take("xxh3");
  if (const auto at = text.find(kHeaderSum); at != std::string::npos)
    text.replace(at + kHeaderSum.size(), claimed.size(), kNoSum);
  require(checksum(text) == claimed,
          "{}: the header's xxh3 is {}, expected {}: the file is damaged", name, checksum(text),
          claimed);

  std::vector<Place> places;
  for (const auto& [key, entry] : header.items())
    if (key != "__metadata__") places.push_back(place_of(name, key, entry));
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t offset = 0;
  for (const Place& p : places) {
    require(p.begin == offset, "{}: tensor {}: data_offsets begin at {}, expected {}", name, p.name,
            p.begin, offset);
    offset = p.end;
  }
  require(offset == bytes.size(), "{}: the tensors take {} bytes, the file has {}", name, offset,
          bytes.size());

  for (Place& p : places) {
    p.tensor.file = file;
    p.tensor.mapped = bytes.substr(p.begin, p.end - p.begin);
    const std::string found = checksum(p.tensor.mapped),
                      sum = take(std::string(kTensorSum) + p.name);
    require(found == sum, "{}: tensor {}: xxh3 is {}, expected {}: the file is damaged", name,
            p.name, found, sum);
    state.tensors.emplace(std::move(p.name), std::move(p.tensor));
  }
  return state;
}

}  // namespace vargp
