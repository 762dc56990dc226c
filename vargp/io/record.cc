#include "vargp/io/record.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "vargp/core/error.h"
#include "vargp/io/atomic_file.h"

namespace vargp {
namespace {

constexpr int kDeepest = 64;

void check_finite(const Json& value, const std::string& place) {
  if (value.is_number_float())
    require(std::isfinite(value.get<double>()), "record: {} is {}, expected a finite number",
            place.empty() ? "the value" : place, value.get<double>());
  if (!value.is_structured()) return;
  for (const auto& [key, item] : value.items())
    check_finite(item, place.empty() ? key : place + "/" + key);
}

void append(const Json& value, int indent, std::string& out) {
  const bool plain =
      value.is_array() && std::none_of(value.begin(), value.end(),
                                       [](const Json& item) { return item.is_structured(); });
  if (!value.is_structured() || value.empty()) {
    out += value.dump();
  } else if (plain) {
    out += '[';
    for (const Json& item : value) {
      if (out.back() != '[') out += ", ";
      out += item.dump();
    }
    out += ']';
  } else {
    const bool object = value.is_object();
    const std::string margin(static_cast<std::size_t>(indent) + 2, ' ');
    out += object ? "{" : "[";
    bool first = true;
    for (const auto& [key, item] : value.items()) {
      out += (first ? "\n" : ",\n") + margin;
      first = false;
      if (object) out += Json(key).dump() + ": ";
      append(item, indent + 2, out);
    }
    out += '\n' + std::string(static_cast<std::size_t>(indent), ' ') + (object ? '}' : ']');
  }
}

}  // namespace

std::string record_text(const Json& record) {
  check_finite(record, "");
  std::string out;
  append(record, 0, out);
  return out + '\n';
}

void write_record(const std::filesystem::path& path, const Json& record) {
  write_file(path, record_text(record));
}

Json read_record(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), "{}: cannot be read: {}", path.string(), std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_record(path.string(), text);
}

Json parse_record(const std::string& name, std::string_view text) {
  // Nothing that walks through a record needs a deep stack.
  const auto check = [&](int depth, Json::parse_event_t, Json&) {
    require(depth <= kDeepest, "{}: nested deeper than {}, expected a record", name, kDeepest);
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::exception& error) {
    const std::string_view what = error.what();  // [json.exception.parse_error.101] parse error ..
    fail("{}: not a record: {}", name, what.substr(what.find("] ") + 2));
  }
}

}  // namespace vargp
