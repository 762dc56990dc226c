// Options as text, for any options struct: a table with one entry a field, by name, that the
// command line, preset files and records all go through.
//
//   const std::vector<SettingEntry<Options>> table = {
//       whole("batch", &Options::batch, "points of a mini-batch"),
//       number("learning-rate", &Options::learning_rate, "of the optimizer")};
//   set_entry(table, options, "batch", "256");   // text or JSON; errors name the field
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vargp/core/error.h"
#include "vargp/core/types.h"

namespace vargp {

struct Setting {
  std::string name;                     // as the field, with dashes: "learning-rate"
  std::string help;                     // what it is, for people
  std::vector<std::string> words = {};  // that it can be set to, where these are all
};

template <class O>
struct SettingEntry {
  Setting setting;
  std::function<void(O&, const nlohmann::json&)> set;
  std::function<nlohmann::ordered_json(const O&)> get;
};

namespace internal {

// Text from the command line stands for what JSON would have said.
inline nlohmann::json parsed(const nlohmann::json& value) {
  if (!value.is_string()) return value;
  const auto out = nlohmann::json::parse(value.get<std::string>(), nullptr, false);
  return out.is_discarded() ? value : out;
}

[[noreturn]] inline void misfit(const std::string& name, const nlohmann::json& value,
                                std::string_view expected) {
  fail("{} = {}: must be {}", name, value.is_string() ? value.get<std::string>() : value.dump(),
       expected);
}

inline bool is_whole(const nlohmann::json& value) {
  return value.is_number_integer() && (value.is_number_unsigned() || value >= 0);
}

}  // namespace internal

template <class O>
SettingEntry<O> number(const char* name, double O::*field, const char* help) {
  return {{name, help},
          [=](O& o, const nlohmann::json& v) {
            const auto value = internal::parsed(v);
            if (!value.is_number()) internal::misfit(name, v, "a number");
            o.*field = value.template get<double>();
          },
          [=](const O& o) { return nlohmann::ordered_json(o.*field); }};
}

template <class O>
SettingEntry<O> optional_number(const char* name, std::optional<double> O::*field,
                                const char* help) {
  return {{name, help},
          [=](O& o, const nlohmann::json& v) {
            const auto value = internal::parsed(v);
            if (value.is_null() || value == "auto") {
              o.*field = std::nullopt;
              return;
            }
            if (!value.is_number()) internal::misfit(name, v, "a number or auto");
            o.*field = value.template get<double>();
          },
          [=](const O& o) {
            return o.*field ? nlohmann::ordered_json(*(o.*field)) : nlohmann::ordered_json("auto");
          }};
}

template <class Integer, class O>
SettingEntry<O> whole(const char* name, Integer O::*field, const char* help) {
  return {{name, help},
          [=](O& o, const nlohmann::json& v) {
            const auto value = internal::parsed(v);
            if (!internal::is_whole(value)) internal::misfit(name, v, "a whole number, 0 or above");
            o.*field = value.template get<Integer>();
          },
          [=](const O& o) { return nlohmann::ordered_json(o.*field); }};
}

// "100,100" or [100, 100].
template <class O>
SettingEntry<O> whole_list(const char* name, std::vector<Index> O::*field, const char* help) {
  return {{name, help},
          [=](O& o, const nlohmann::json& v) {
            const auto value =
                v.is_string() ? internal::parsed(fmt::format("[{}]", v.template get<std::string>()))
                              : v;
            bool fits = value.is_array();
            if (fits)
              for (const auto& item : value) fits = fits && internal::is_whole(item);
            if (!fits) internal::misfit(name, v, "whole numbers with commas between them");
            o.*field = value.template get<std::vector<Index>>();
          },
          [=](const O& o) { return nlohmann::ordered_json(o.*field); }};
}

template <class O>
SettingEntry<O> flag(const char* name, bool O::*field, const char* help) {
  return {{name, help},
          [=](O& o, const nlohmann::json& v) {
            const auto value = internal::parsed(v);
            if (!value.is_boolean()) internal::misfit(name, v, "true or false");
            o.*field = value.template get<bool>();
          },
          [=](const O& o) { return nlohmann::ordered_json(o.*field); }};
}

template <class Enum, class O>
SettingEntry<O> choice(const char* name, Enum O::*field,
                       std::vector<std::pair<const char*, Enum>> words, const char* help) {
  std::string all;
  std::vector<std::string> list;
  for (const auto& [word, value] : words) {
    all += (all.empty() ? "" : ", ") + std::string(word);
    list.emplace_back(word);
  }
  return {{name, std::string(help) + " (" + all + ")", std::move(list)},
          [=](O& o, const nlohmann::json& v) {
            for (const auto& [word, value] : words)
              if (v == word) {
                o.*field = value;
                return;
              }
            internal::misfit(name, v, "one of " + all);
          },
          [=](const O& o) {
            for (const auto& [word, value] : words)
              if (o.*field == value) return nlohmann::ordered_json(word);
            broken_invariant(__FILE__, __LINE__, "every value of an option has a word");
          }};
}

template <class O>
std::vector<Setting> names_of(const std::vector<SettingEntry<O>>& table) {
  std::vector<Setting> out;
  for (const auto& e : table) out.push_back(e.setting);
  return out;
}

// Unknown names and values that do not fit give an error that says what would.
template <class O>
void set_entry(const std::vector<SettingEntry<O>>& table, O& options, std::string_view name,
               const nlohmann::json& value) {
  for (const auto& e : table)
    if (e.setting.name == name) return e.set(options, value);
  std::string all;
  for (const auto& e : table) all += (all.empty() ? "" : ", ") + e.setting.name;
  fail("{}: there is no such setting; there are {}", name, all);
}

template <class O>
nlohmann::ordered_json entries_to_json(const std::vector<SettingEntry<O>>& table,
                                       const O& options) {
  nlohmann::ordered_json out;
  for (const auto& e : table) out[e.setting.name] = e.get(options);
  return out;
}

}  // namespace vargp
