// The page: a template with our own style and script, Vega-Lite, and the report as data.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "vargp/core/error.h"
#include "vargp/io/atomic_file.h"
#include "vargp/report/assets.h"
#include "vargp/report/report.h"

namespace vargp {
namespace {

std::string replaced(const std::string& text,
                     std::initializer_list<std::pair<char, const char*>> by) {
  std::string out;
  for (const char c : text) {
    const auto found =
        std::find_if(by.begin(), by.end(), [&](const auto& pair) { return pair.first == c; });
    if (found == by.end())
      out += c;
    else
      out += found->second;
  }
  return out;
}

// JSON that can stand in a <script> element: nothing in it ends the element or opens a comment, and
// all of it is ASCII. What is not UTF-8 becomes a replacement sign.
std::string safe_json(const Json& value) {
  return replaced(value.dump(-1, ' ', true, Json::error_handler_t::replace),
                  {{'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}});
}

std::string escaped(const std::string& text) {
  return replaced(text, {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}});
}

}  // namespace

std::string report_page(const Json& report, const std::string& stamp) {
  const std::vector<std::string> scripts = {"vega.min.js", "vega-lite.min.js", "vega-embed.min.js",
                                            "report.js"};
  const Asset& style = asset("report.css");
  // Nothing is run, styled or loaded but what is named here by its checksum.
  std::string policy =
      "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: blob:";
  policy += fmt::format("; connect-src {}; style-src 'sha256-{}'; script-src",
                        stamp.empty() ? "'none'" : "'self'", style.sha256);
  std::string code;
  for (const std::string& name : scripts) {
    const Asset& script = asset(name);
    policy += fmt::format(" 'sha256-{}'", script.sha256);
    code += fmt::format("<script>{}</script>\n", script.text);
  }
  const std::vector<std::pair<std::string, std::string>> parts = {
      {"{{policy}}", policy},
      {"{{title}}", escaped(report.at("title").get<std::string>())},
      {"{{style}}", fmt::format("<style>{}</style>", style.text)},
      {"{{live}}", stamp.empty() ? "" : fmt::format(" data-stamp=\"{}\"", escaped(stamp))},
      {"{{report}}", safe_json(report)},
      {"{{scripts}}", code}};
  std::string out;
  std::string_view rest = asset("template.html").text;
  for (const auto& [name, text] : parts) {  // in the order of the template
    const auto place = rest.find(name);
    VARGP_CHECK(place != std::string_view::npos);
    out.append(rest.substr(0, place)).append(text);
    rest.remove_prefix(place + name.size());
  }
  return out.append(rest);
}

std::string waiting_page(const std::string& reason) {
  return fmt::format(
      "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\">"
      "<meta http-equiv=\"refresh\" content=\"2\"><title>vargp report</title></head>"
      "<body><h1>Nothing to show yet</h1><p>{}</p><p>This page looks again every two seconds."
      "</p></body></html>",
      escaped(reason));
}

void write_report(const std::vector<std::filesystem::path>& records,
                  const std::filesystem::path& file) {
  write_file(file, report_page(report(read_all(records))));
}

}  // namespace vargp
