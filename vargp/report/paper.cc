#include "vargp/report/paper.h"

#include "vargp/io/record.h"
#include "vargp/report/assets.h"

namespace vargp {

std::vector<PaperResult> paper_results(const std::string& experiment, int tasks) {
  const Json paper = Json::parse(asset("paper.json").text);
  std::vector<PaperResult> out;
  for (const Json& part : paper.at("experiments")) {
    if (part.at("experiment") != experiment || part.at("tasks") != tasks) continue;
    for (const Json& r : part.at("results")) {
      out.push_back({r.at("method"), r.value("model", ""), r.at("mean"), std::nullopt});
      if (r.contains("deviation")) out.back().deviation = r["deviation"].get<double>();
    }
  }
  return out;
}

}  // namespace vargp
