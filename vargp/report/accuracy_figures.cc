// How accurate: over tasks, beside the paper, by the number of inducing points.
#include <fmt/format.h>

#include <map>

#include "vargp/report/figure_parts.h"
#include "vargp/report/paper.h"

namespace vargp {
namespace {

// The best and the worst of several, or how the only one went.
std::string accuracy_title(const std::vector<Series>& all) {
  if (all.size() == 1) {
    const Series& s = all.front();
    const Index T = learned(s);
    const Spread first = over_seeds(s, [](const Run& r) { return entry(r.so_far, 0); });
    if (T == 1) return fmt::format("{} of the test points are told right", percent(first));
    return fmt::format("After {} tasks {} of all that was seen is told right", T,
                       percent(final_accuracy(s)));
  }
  const auto [low, high] = extremes(all, [](const Series& s) { return final_accuracy(s).mean; });
  return fmt::format("{} ends highest at {}, {} lowest at {}", high->label,
                     percent(final_accuracy(*high)), low->label, percent(final_accuracy(*low)));
}

Json accuracy(const std::vector<Series>& all) {
  std::string caption = "Accuracy on the test points of all tasks seen so far, after each task.";
  if (several_seeds(all)) caption += " The band is one standard deviation over seeds.";
  Json out = figure("accuracy", "lines", "Accuracy over tasks", accuracy_title(all), caption,
                    line_columns("accuracy", "percent"));
  for (const Series& s : all)
    for (Index t = 0; t < learned(s); ++t) {
      const Spread v = over_seeds(s, [&](const Run& run) { return entry(run.so_far, t); });
      out["rows"].push_back({s.label, t + 1, v.mean, v.deviation, v.count});
    }
  draw_lines(out, "mean", "tasks learned", "accuracy");
  return out;
}

// Ours beside the paper's Table 1.
Json against_paper(const std::vector<Series>& all) {
  const auto results =
      paper_results(all.front().experiment, static_cast<int>(all.front().runs[0].planned()));
  if (results.empty()) return {};
  struct Line {
    std::string method, from;
    double mean;
    Json deviation;
  };
  std::vector<Line> table;
  for (const PaperResult& r : results)
    if (!r.settings.contains("heads"))  // one for each task: told the task, it is easier
      table.push_back(
          {r.method, "the paper", r.mean / 100, r.deviation ? Json(*r.deviation / 100) : Json()});
  const double best_there = std::max_element(table.begin(), table.end(), [](auto& a, auto& b) {
                              return a.mean < b.mean;
                            })->mean;
  std::vector<std::string> finished;
  std::size_t above = 0;
  for (const Series& s : all) {
    if (learned(s) < s.runs.front().planned()) continue;  // still under way
    const Spread v = final_accuracy(s);
    finished.push_back(s.label);
    above += v.mean > best_there;
    table.push_back({s.label, "this report", v.mean, v.count > 1 ? Json(v.deviation) : Json()});
  }
  if (finished.empty()) return {};
  std::stable_sort(table.begin(), table.end(),
                   [](const Line& a, const Line& b) { return a.mean > b.mean; });
  std::string who = fmt::format("{} of {} models are above", above, finished.size());
  if (finished.size() == 1)
    who = fmt::format("{} is {}", finished[0], above ? "above" : "below");
  else if (above == finished.size())
    who = above == 2 ? "Both models are above" : fmt::format("All {} models are above", above);
  const std::string title =
      fmt::format("{} the best of the paper's Table 1 ({:.2f} %)", who, 100 * best_there);
  Json out = figure("paper", "dots", "Beside the paper", title,
                    "Accuracy over all tasks after the last one; the bars are one standard "
                    "deviation where it is known.",
                    {column("method", "method", "text"), column("from", "from", "text"),
                     column("mean", "accuracy", "percent"),
                     column("deviation", "standard deviation", "percent")});
  for (const Line& l : table) out["rows"].push_back({l.method, l.from, l.mean, l.deviation});
  return out;
}

// Where records differ in M alone, a line for each M.
Json varying_inducing(const std::vector<Series>& all) {
  std::map<std::string, std::map<double, const Series*>> families;
  for (const Series& s : all) {
    Json rest = s.runs.front().settings;
    if (!rest.is_object() || !rest.contains("inducing") || !rest["inducing"].is_number()) continue;
    const double M = rest["inducing"].get<double>();
    for (const char* key : {"inducing", "seed"}) rest.erase(key);
    families[s.model + rest.dump()].emplace(M, &s);
  }
  const auto largest = std::max_element(families.begin(), families.end(), [](auto& a, auto& b) {
    return a.second.size() < b.second.size();
  });
  if (largest == families.end() || largest->second.size() < 2) return {};
  const auto& family = largest->second;
  const auto best =
      std::max_element(family.begin(), family.end(), [](const auto& a, const auto& b) {
        return final_accuracy(*a.second).mean < final_accuracy(*b.second).mean;
      });
  Json out = figure(
      "varying-m", "lines", "Varying M",
      fmt::format("{} does best with M = {:g}: {}", family.begin()->second->model, best->first,
                  percent(final_accuracy(*best->second))),
      "Accuracy on all tasks seen so far; one line for each number of inducing points a task.",
      {column("M", "inducing points M", "integer"), column("task", "task", "integer"),
       column("mean", "accuracy", "percent"), column("deviation", "standard deviation", "percent"),
       column("seeds", "seeds", "integer")});
  for (const auto& [M, s] : family)
    for (Index t = 0; t < learned(*s); ++t) {
      const Spread v = over_seeds(*s, [&](const Run& run) { return entry(run.so_far, t); });
      out["rows"].push_back({M, t + 1, v.mean, v.deviation, v.count});
    }
  draw_lines(out, "mean", "tasks learned", "accuracy");
  out["series"] = "M";
  out["ordered"] = true;
  return out;
}

}  // namespace

Figures accuracy_figures(const std::vector<Series>& all) {
  return {accuracy(all), against_paper(all), varying_inducing(all)};
}

}  // namespace vargp
