// The page: a template with our own style and script, Vega-Lite, and the report as data.
#include <fmt/format.h>

#include "vargp/core/error.h"
#include "vargp/io/atomic_file.h"
#include "vargp/report/assets.h"
#include "vargp/report/report.h"

namespace vargp {
namespace {

// JSON that can stand in a <script> element: nothing in it ends the element or opens a comment, and
// no line separator that older readers trip over. What is not UTF-8 becomes a replacement sign.
std::string safe_json(const Json& value) {
  std::string out;
  for (const char c : value.dump(-1, ' ', true, Json::error_handler_t::replace)) switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

}  // namespace

std::string report_page(const Json& report, bool live) {
  const std::vector<std::string> scripts = {"vega.min.js", "vega-lite.min.js", "vega-embed.min.js",
                                            "report.js"};
  const Asset& style = asset("report.css");
  // Nothing is run, styled or loaded but what is named here by its checksum.
  std::string policy =
      "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: blob:";
  policy += fmt::format("; connect-src {}; style-src 'sha256-{}'; script-src",
                        live ? "'self'" : "'none'", style.sha256);
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
      {"{{live}}", live ? " data-live" : ""},
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

void write_report(const std::vector<std::filesystem::path>& records,
                  const std::filesystem::path& file) {
  write_file(file, report_page(report(read_all(records))));
}

}  // namespace vargp
