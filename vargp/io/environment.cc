#include "vargp/io/environment.h"

#include <fmt/core.h>
#include <oneapi/tbb/version.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include <Eigen/Core>
#include <fstream>
#include <thread>

// Written by the build (cmake/stamp.cmake), for every build anew.
#if __has_include("vargp_stamp.h")
#include "vargp_stamp.h"
#else
#define VARGP_VERSION "unknown"
#define VARGP_COMMIT "unknown"
#endif

namespace vargp {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown";
}

std::string system_name() {
  utsname name{};
  if (uname(&name) != 0) return "unknown";
  return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#else
  return "unknown";
#endif
}

std::string instructions() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#elif defined(__AVX__)
  return "AVX";
#elif defined(__SSE2__)
  return "SSE2";
#else
  return "baseline";
#endif
}

}  // namespace

std::string version() { return VARGP_VERSION; }
std::string commit() { return VARGP_COMMIT; }

Json environment() {
  Json out;
  out["vargp"] = version();
  out["commit"] = commit();
  out["cpu"] = cpu_model();
  out["cores"] = std::thread::hardware_concurrency();
  out["memory_bytes"] = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  out["system"] = system_name();
  out["compiler"] = compiler();
  out["instructions"] = instructions();
#ifdef NDEBUG
  out["build"] = "release";
#else
  out["build"] = "debug";
#endif
  out["eigen"] =
      fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
  out["tbb"] = fmt::format("{}.{}", TBB_VERSION_MAJOR, TBB_VERSION_MINOR);
  out["zlib"] = zlibVersion();
  out["nlohmann_json"] = fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                     NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH);
  out["fmt"] =
      fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
  return out;
}

}  // namespace vargp
