#include "vargp/data/npz.h"

#include <fmt/ranges.h>
#include <zip.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "vargp/core/error.h"
#include "vargp/data/cell.h"
#include "vargp/data/npy.h"

namespace vargp {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr zip_int64_t kMostArrays = 1024;
constexpr std::uint64_t kLargestRatio = 1032;  // of deflate

// What libzip asks of a file, answered by bytes with read_at().
struct Source {
  std::unique_ptr<Bytes> bytes;
  std::uint64_t at = 0;
  zip_error_t error{};
};

zip_int64_t answer(void* self, void* data, zip_uint64_t size, zip_source_cmd_t command) {
  auto& source = *static_cast<Source*>(self);
  const std::uint64_t whole = source.bytes->most();
  switch (command) {
    case ZIP_SOURCE_OPEN:
      source.at = 0;
      return 0;
    case ZIP_SOURCE_READ: {
      const std::uint64_t n = std::min(size, whole - std::min(whole, source.at));
      try {
        source.bytes->read_at(source.at, static_cast<char*>(data), n);
      } catch (const Error&) {  // C code cannot pass it on
        zip_error_set(&source.error, ZIP_ER_READ, EIO);
        return -1;
      }
      source.at += n;
      return static_cast<zip_int64_t>(n);
    }
    case ZIP_SOURCE_SEEK: {
      const zip_int64_t at =
          zip_source_seek_compute_offset(source.at, whole, data, size, &source.error);
      if (at < 0) return -1;
      source.at = static_cast<std::uint64_t>(at);
      return 0;
    }
    case ZIP_SOURCE_TELL:
      return static_cast<zip_int64_t>(source.at);
    case ZIP_SOURCE_STAT: {
      auto* about = static_cast<zip_stat_t*>(data);
      zip_stat_init(about);
      about->size = whole;
      about->valid = ZIP_STAT_SIZE;
      return sizeof *about;
    }
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&source.error, data, size);
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                            ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_STAT,
                                            ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    default:  // to close and to free: the owner sees to it
      return 0;
  }
}

// An open archive, shared by the entries that are read from it.
class Archive {
 public:
  explicit Archive(std::unique_ptr<Bytes> bytes)
      : name_(bytes->name()),
        source_{held(std::move(bytes), "a zip archive is needed as a whole")} {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_function_create(answer, &source_, &error);
    VARGP_CHECK(source != nullptr);
    zip_ = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (zip_ == nullptr) zip_source_free(source);
    require(zip_ != nullptr, "{}: not a zip archive that can be read: {}", name_, why);
  }
  ~Archive() { zip_discard(zip_); }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  const std::string& name() const { return name_; }
  zip_t* zip() const { return zip_; }

 private:
  std::string name_;
  Source source_;
  zip_t* zip_ = nullptr;
};

class Entry final : public Bytes {
 public:
  Entry(std::shared_ptr<Archive> archive, zip_uint64_t index, const std::string& array)
      : Bytes(fmt::format("{}, array {}", archive->name(), array)), archive_(std::move(archive)) {
    zip_stat_t about;
    zip_stat_init(&about);
    const bool known = zip_stat_index(archive_->zip(), index, 0, &about) == 0 &&
                       (about.valid & ZIP_STAT_SIZE) != 0 &&
                       (about.valid & ZIP_STAT_COMP_SIZE) != 0;
    if (known) {
      most_ = about.size;
      // It may claim what it likes.
      if (about.comp_method == ZIP_CM_DEFLATE && about.comp_size < kUnknown / kLargestRatio - 64)
        most_ = std::min<std::uint64_t>(most_, (about.comp_size + 64) * kLargestRatio);
      file_ = zip_fopen_index(archive_->zip(), index, 0);
    }
    require(file_ != nullptr, "{}: cannot be unpacked: {}", name(), zip_strerror(archive_->zip()));
  }
  ~Entry() override { zip_fclose(file_); }

  std::uint64_t most() const override { return most_; }

 protected:
  std::size_t get(char* out, std::size_t size) override {
    const zip_int64_t n = zip_fread(file_, out, size);
    require(n >= 0, "{}: damaged: {}", name(), zip_file_strerror(file_));
    return static_cast<std::size_t>(n);
  }

 private:
  std::shared_ptr<Archive> archive_;
  zip_file_t* file_ = nullptr;
  std::uint64_t most_ = 0;
};

}  // namespace

std::vector<Array> open_npz(std::unique_ptr<Bytes> bytes, const std::vector<std::string>& names) {
  const auto archive = std::make_shared<Archive>(std::move(bytes));
  const zip_int64_t count = zip_get_num_entries(archive->zip(), 0);
  require(count <= kMostArrays, "{}: {} arrays, expected at most {}", archive->name(), count,
          kMostArrays);
  std::map<std::string, zip_uint64_t> places;
  std::vector<std::string> all;
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* entry = zip_get_name(archive->zip(), index, ZIP_FL_ENC_RAW);
    std::string_view name = entry != nullptr ? entry : "";
    if (!name.ends_with(kSuffix)) continue;
    name.remove_suffix(kSuffix.size());
    require(is_utf8(name), "{}: an array has the name {}, expected UTF-8", archive->name(),
            shown(name));
    all.emplace_back(name);
    require(places.emplace(name, index).second, "{}: two arrays have the name {}", archive->name(),
            shown(name));
  }
  require(!all.empty(), "{}: has no arrays (files *.npy)", archive->name());
  std::vector<std::string> chosen = names.empty() ? all : names;
  if (names.empty() && places.contains("X") && places.contains("y")) chosen = {"X", "y"};

  std::vector<Array> arrays;
  for (const std::string& name : chosen) {
    const auto place = places.find(name);
    require(place != places.end(), "{}: has no array {}, expected one of {}", archive->name(),
            shown(name), fmt::join(all, ", "));
    Array array = open_npy(std::make_unique<Entry>(archive, place->second, name),
                           name == "X" || all.size() == 1 ? "x" : name);
    if (array.columns.size() == 1 && name != "X") array.columns = {name};
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace vargp
