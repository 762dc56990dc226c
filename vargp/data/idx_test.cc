#include "vargp/data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <string>

#include "vargp/core/error.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int v : values) out.push_back(static_cast<char>(v));
  return out;
}

// Two pictures of 1 x 3, and their labels.
const std::string kImages =
    bytes({0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 51, 255, 102, 0, 204});
const std::string kLabels = bytes({0, 0, 8, 1, 0, 0, 0, 2, 7, 9});

class Idx : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        (std::string("vargp_idx_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  fs::path write_gz(const std::string& name, const std::string& content) {
    const gzFile file = gzopen((folder_ / name).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
    return folder_ / name;
  }
  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

auto reading(const fs::path& path) {
  return [path] { read_idx(path); };
}

auto says(const std::string& text) { return ThrowsMessage<Error>(HasSubstr(text)); }

TEST_F(Idx, PicturesBecomeRowsFromZeroToOne) {
  const Dataset data = read_idx_images(write("i", kImages), write("l", kLabels), 10);
  const RowMat<float> expected{{0, 0.2f, 1}, {0.4f, 0, 0.8f}};
  EXPECT_TRUE(data.X.isApprox(expected, 1e-7f));
  EXPECT_EQ(data.X(0, 2), 1);
  EXPECT_THAT(data.y, ElementsAre(7, 9));
  EXPECT_EQ(data.C, 10);
  EXPECT_EQ(data.image_rows, 1);
  EXPECT_EQ(data.image_cols, 3);
}

TEST_F(Idx, GzipFilesReadLikePlainOnes) {
  const IdxArray plain = read_idx(write("i", kImages));
  const IdxArray packed = read_idx(write_gz("i.gz", kImages));
  EXPECT_THAT(packed.shape, ElementsAre(2, 1, 3));
  EXPECT_EQ(packed.values, plain.values);
}

TEST_F(Idx, AFileCutAnywhereIsRefused) {
  for (std::size_t size = 0; size < kImages.size(); ++size) {
    const fs::path path = write("cut", kImages.substr(0, size));
    EXPECT_THAT([&] { read_idx(path); }, says("cut")) << size;
  }
}

TEST_F(Idx, AGzipFileCutAnywhereIsRefused) {
  const std::string whole = content(write_gz("whole.gz", kImages));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const fs::path path = write("cut.gz", whole.substr(0, size));
    EXPECT_THROW(read_idx(path), Error) << size;
  }
}

TEST_F(Idx, AGzipFileWithDamagedDataIsRefused) {
  std::string damaged = content(write_gz("whole.gz", kImages));
  damaged[damaged.size() - 8] ^= 1;  // the checksum
  const fs::path path = write("damaged.gz", damaged);
  EXPECT_THAT([&] { read_idx(path); }, says("gzip data are damaged"));
}

TEST_F(Idx, AnyFlippedBitOfAGzipFileGivesAnErrorOrTheSameValues) {
  const std::string whole = content(write_gz("whole.gz", kImages));
  const auto values = read_idx(folder_ / "whole.gz").values;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const fs::path path = write("damaged.gz", damaged);
      try {
        EXPECT_EQ(read_idx(path).values, values) << at;
      } catch (const Error&) {
      }
    }
}

TEST_F(Idx, AMissingFileIsNamed) {
  EXPECT_THAT([&] { read_idx(folder_ / "absent"); }, says("absent: there is no such file"));
  EXPECT_THAT([&] { read_idx(folder_); }, says("not a file"));
}

TEST_F(Idx, AWrongMagicNumberIsRefused) {
  std::string wrong = kImages;
  wrong[0] = 'P';
  EXPECT_THAT(reading(write("a", wrong)), says("begins with 80 0"));
  wrong = kImages;
  wrong[2] = 0x0d;
  EXPECT_THAT(reading(write("b", wrong)), says("type 0x0d, expected 0x08"));
  wrong = kImages;
  wrong[3] = 0;
  EXPECT_THAT(reading(write("c", wrong)), says("0 dimensions"));
}

TEST_F(Idx, AHeaderThatClaimsMoreThanTheFileHoldsIsRefusedBeforeRoomIsMade) {
  // 2^32 - 1 in each of three dimensions: 8e28 values.
  std::string huge = bytes({0, 0, 8, 3});
  huge += std::string(12, '\xff') + "rest";
  EXPECT_THAT(reading(write("huge", huge)),
              says("header claims 4294967295 values or more, but the file holds 20 bytes"));
  EXPECT_THAT(reading(write_gz("huge.gz", huge)), says("header claims"));
  // The product of these wraps around to 0 in 64 bits.
  std::string wraps = bytes({0, 0, 8, 4});
  for (int d = 0; d < 4; ++d) wraps += bytes({0, 1, 0, 0});
  EXPECT_THAT(reading(write("wraps", wraps)), says("header claims 65536"));
}

TEST_F(Idx, TooManyValuesAreRefused) {
  EXPECT_THAT(reading(write("i", kImages + "x")),
              says("more than the 6 values that the header claims (2 x 1 x 3)"));
  EXPECT_THAT(reading(write_gz("i.gz", kImages + "x")), says("more than the 6 values"));
}

TEST_F(Idx, TooFewValuesAreRefused) {
  EXPECT_THAT(reading(write("i", kImages.substr(0, 20))), says("header claims 2 x 1 x 3 values"));
  EXPECT_THAT(reading(write_gz("i.gz", kImages.substr(0, 20))),
              says("4 values, expected 6 (2 x 1 x 3)"));
}

TEST_F(Idx, PicturesAndLabelsMustAgree) {
  const fs::path images = write("i", kImages), labels = write("l", kLabels);
  const fs::path three = write("l3", bytes({0, 0, 8, 1, 0, 0, 0, 3, 1, 2, 3}));
  EXPECT_THAT([&] { read_idx_images(images, three, 10); }, says("2 pictures, but"));
  EXPECT_THAT([&] { read_idx_images(labels, labels, 10); }, says("1 dimensions, expected 3"));
  EXPECT_THAT([&] { read_idx_images(images, images, 10); }, says("3 dimensions, expected 1"));
  EXPECT_THAT([&] { read_idx_images(images, labels, 9); },
              says("label 1: class 9, expected 0 to 8"));
}

}  // namespace
}  // namespace vargp
