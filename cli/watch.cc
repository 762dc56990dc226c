#include "cli/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "vargp/core/error.h"
#include "vargp/report/report.h"

// Last: a macro of the resolver that it includes is a name in Eigen.
// clang-format off
#include <httplib.h>
// clang-format on

namespace vargp {
namespace {

constexpr const char* kHost = "127.0.0.1";

// Changes whenever a record does.
std::string stamp(const std::vector<std::filesystem::path>& records) {
  std::string out;
  try {
    for (const auto& path : find_records(records))
      out += fmt::format("{} {}\n", path.string(),
                         std::filesystem::last_write_time(path).time_since_epoch().count());
  } catch (const std::exception&) {
    out = "nothing yet";
  }
  return fmt::format("{:x}", std::hash<std::string>()(out));
}

}  // namespace

void watch_report(const std::vector<std::filesystem::path>& records, int port) {
  httplib::Server server;
  const auto bound = [&] {
    if (port == 0) return server.bind_to_any_port(kHost);
    return server.bind_to_port(kHost, port) ? port : -1;
  }();
  require(bound > 0, "--port {}: this port of {} cannot be opened; another program may have it",
          port, kHost);
  // A page elsewhere must not read this one by giving its own name this machine's address.
  const std::vector<std::string> here = {fmt::format("{}:{}", kHost, bound),
                                         fmt::format("localhost:{}", bound)};
  server.set_pre_routing_handler([&](const httplib::Request& request, httplib::Response& response) {
    const std::string host = request.get_header_value("Host");
    if (std::find(here.begin(), here.end(), host) != here.end())
      return httplib::Server::HandlerResponse::Unhandled;
    response.status = 403;
    return httplib::Server::HandlerResponse::Handled;
  });
  server.Get("/stamp", [&](const httplib::Request&, httplib::Response& response) {
    response.set_header("Cache-Control", "no-store");
    response.set_content(stamp(records), "text/plain");
  });
  server.Get("/", [&](const httplib::Request&, httplib::Response& response) {
    response.set_header("Cache-Control", "no-store");
    std::string page;
    try {
      const std::string now = stamp(records);  // first: what changes meanwhile is news
      page = report_page(report(read_all(records)), now);
    } catch (const std::exception& error) {
      page = waiting_page(error.what());
    }
    response.set_content(page, "text/html; charset=utf-8");
  });
  fmt::print("the report: http://{}:{}/ (Ctrl-C ends it)\n", kHost, bound);
  std::fflush(stdout);
  server.listen_after_bind();
}

}  // namespace vargp
