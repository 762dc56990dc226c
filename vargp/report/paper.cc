#include "vargp/report/paper.h"

#include "vargp/core/error.h"
#include "vargp/report/assets.h"

namespace vargp {

bool same_model(const PaperResult& result, const std::string& model, const Json& settings) {
  if (result.model != model) return false;
  for (const auto& [name, value] : result.settings.items())
    if (!settings.is_object() || settings.value(name, Json()) != value) return false;
  return true;
}

Json paper_result(const std::string& experiment, const std::string& method) {
  const Json paper = Json::parse(asset("paper.json").text);
  for (const Json& part : paper.at("experiments"))
    if (part.at("experiment") == experiment)
      for (Json r : part.at("results"))
        if (r.at("method") == method) {
          for (const char* key : {"method", "model", "settings"}) r.erase(key);
          return r;
        }
  fail("the paper has no number of {} for {}", method, experiment);
}

std::vector<PaperResult> paper_results(const std::string& experiment, int tasks) {
  const Json paper = Json::parse(asset("paper.json").text);
  std::vector<PaperResult> out;
  for (const Json& part : paper.at("experiments")) {
    if (part.at("experiment") != experiment || part.at("tasks") != tasks) continue;
    for (const Json& r : part.at("results")) {
      out.push_back({r.at("method"), r.at("model"), r.value("settings", Json::object()),
                     r.at("mean"), std::nullopt});
      if (r.contains("deviation")) out.back().deviation = r["deviation"].get<double>();
    }
  }
  return out;
}

}  // namespace vargp
