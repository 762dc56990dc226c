#include "vargp/experiment/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "vargp/core/error.h"
#include "vargp/core/random.h"
#include "vargp/models/settings.h"

namespace vargp {

namespace {

std::vector<Range> space_of(const BaselineOptions& o) {
  switch (o.model) {
    case BaselineKind::kVcl:
      return {{"learning-rate", 0.0005, 0.01, true},
              {"variance-rate", 0.5, 50, true},
              {"prior-variance", 0.001, 1, true}};
    case BaselineKind::kEwc:
      return {{"strength", 1, 1e5, true}};
    case BaselineKind::kSi:
      return {{"strength", 0.01, 10, true}};
    case BaselineKind::kRandomFeatures:
      return {{"lengthscale-factor", 0.2, 2, true}, {"ridge", 1e-4, 1, true}};
    default:
      return {{"learning-rate", 0.0001, 0.01, true}};
  }
}

std::vector<Range> space_of(const Options& o) {
  const Range lengthscale = o.lengthscale
                                ? Range{"lengthscale", *o.lengthscale / 2, *o.lengthscale * 2, true}
                                : Range{"lengthscale-factor", 0.2, 0.8, true};
  if (o.model == ModelKind::kCoupled)
    return {{"inducing", 100, 700, true, true}, lengthscale, {"noise", 0.005, 0.2, true}};
  std::vector<Range> out = {{"inducing", 40, 200, false, true}, lengthscale, {"scale", 1, 8, true}};
  if (o.hyper != HyperTreatment::kFixed || o.learn_inducing ||
      o.inference == Inference::kGradient || o.model == ModelKind::kDeepKernel)
    out.push_back({"learning-rate", 0.001, 0.01, true});
  if (o.hyper == HyperTreatment::kPosterior) out.push_back({"beta", 1, 10});
  return out;
}

}  // namespace

std::vector<Range> search_space(const RunSpec& base) {
  auto out = std::visit([](const auto& o) { return space_of(o); }, choice_of(base));
  for (const auto& set : base.changed)
    std::erase_if(out, [&](const Range& r) { return r.setting == set.first; });
  return out;
}

std::vector<std::pair<std::string, Json>> trial(const Search& search, int i) {
  auto out = search.base.changed;
  if (i == 0) return out;
  Random random(search.seed, Purpose::kSearch, i);
  for (const Range& r : search.space) {
    const double u = random.uniform();
    double value = r.log ? r.low * std::pow(r.high / r.low, u) : r.low + (r.high - r.low) * u;
    // Three digits are all that anybody wants to read.
    const std::string text = fmt::format("{:.3g}", value);
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (r.whole)
      out.emplace_back(r.setting, static_cast<Index>(std::lround(value)));
    else
      out.emplace_back(r.setting, value);
  }
  return out;
}

Index epochs_of(const Search& search, int rung) {
  return std::max<Index>(1, epochs_of(choice_of(search.base)) >> (search.rungs - 1 - rung));
}

std::vector<Job> rung_jobs(const Search& search, const std::filesystem::path& root,
                           const std::vector<int>& trials, int rung) {
  std::vector<Job> jobs;
  for (const int i : trials) {
    Job job;
    job.name = fmt::format("trial {}", i);
    job.row = static_cast<std::size_t>(i);
    job.spec = search.base;
    job.spec.evaluate = "validation";
    job.spec.changed = trial(search, i);
    job.spec.changed.emplace_back("epochs", epochs_of(search, rung));
    job.folder = folder_of(root, job.spec);
    job.done = std::filesystem::exists(job.folder / "record.json");
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::vector<std::pair<int, double>> ranking(const std::vector<Job>& jobs) {
  std::vector<std::pair<int, double>> out;
  for (const Job& job : jobs)
    if (const auto file = job.folder / "record.json"; std::filesystem::exists(file))
      out.emplace_back(static_cast<int>(job.row), read_record(file)["final_accuracy"]["mean"]);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

bool is_search(const std::filesystem::path& file) {
  const Json json = read_record(file);
  return json.is_object() && json.value("shows", "") == "search";
}

SearchSuite read_search(const std::filesystem::path& file) {
  const Json json = read_record(file);
  SearchSuite out;
  try {
    out.title = json.at("title");
    out.minutes = json.at("minutes");
    out.paper = json.value("paper", Json::object());
    out.search.base.experiment = json.at("experiment");
    out.search.base.model = json.at("model");
    out.search.base.preset = json.value("preset", "default");
    if (json.contains("settings"))
      for (const auto& [name, value] : json["settings"].items())
        out.search.base.changed.emplace_back(name, value);
    out.search.trials = json.at("trials");
    out.search.rungs = json.at("rungs");
    for (const Json& r : json.at("space"))
      out.search.space.push_back({r.at("setting"), r.at("low"), r.at("high"), r.value("log", false),
                                  r.value("whole", false)});
    choice_of(out.search.base);
  } catch (const std::exception& error) {
    fail("{}: not a search: {}", file.string(), error.what());
  }
  return out;
}

double minutes_of(const SearchSuite& suite) {
  double out = 0, trials = suite.search.trials, share = 1;
  for (int r = 1; r < suite.search.rungs; ++r) share /= 2;
  for (int r = 0; r < suite.search.rungs; ++r, trials /= 2, share *= 2)
    out += trials * share * suite.minutes;
  return out;
}

}  // namespace vargp
