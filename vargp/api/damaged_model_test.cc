// A model file is whole and unchanged, or it is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/reseal.h"
#include "vargp/core/random.h"
#include "vargp/vargp.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;

class DamagedModel : public testing::Test {
 protected:
  fs::path path_ =
      fs::path(testing::TempDir()) / ("vargp_damaged_model_" + std::to_string(getpid()));

  void SetUp() override {
    ClassifierOptions options;
    options.inducing = 3;
    options.epochs = 1;
    Classifier model(options);
    const RowMat<double> X = Random(1, Purpose::kTest).normals<double>(20, 1);
    std::vector<int> y;
    for (Index i = 0; i < X.rows(); ++i) y.push_back(X(i) > 0 ? 1 : 0);
    model.learn(X, y);
    model.save(path_);
    std::ifstream file(path_, std::ios::binary);
    whole_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_NO_THROW(Classifier::load(path_));
  }
  void TearDown() override { fs::remove(path_); }

  // In place, and not in time with the model's own writing.
  void put(std::string_view bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), std::ssize(bytes));
  }

  std::string whole_;
};

TEST_F(DamagedModel, CutAfterAnyByteItIsRefused) {
  for (std::size_t size = 0; size < whole_.size(); ++size) {
    put(std::string_view(whole_).substr(0, size));
    EXPECT_THROW(Classifier::load(path_), Error) << "cut after " << size;
  }
}

TEST_F(DamagedModel, WithAnyByteFlippedItIsRefused) {
  for (std::size_t i = 0; i < whole_.size(); ++i)
    for (const int flip : {0x01, 0xff}) {
      std::string changed = whole_;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      put(changed);
      EXPECT_THROW(Classifier::load(path_), Error) << "byte " << i << " ^ " << flip;
    }
}

// Someone may have set the checksums right: then it is a model or it is refused, and nothing else.
TEST_F(DamagedModel, BehindRightChecksumsItIsAModelOrRefused) {
  std::uint64_t length = 0;
  std::memcpy(&length, whole_.data(), sizeof length);
  const RowMat<double> X = RowMat<double>::Ones(2, 1);
  int models = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    Random random(7, Purpose::kTest, round);
    std::string changed = whole_;
    for (Index changes = 1 + random.below(3); changes > 0; --changes) {
      const bool header = random.below(2) == 0;
      const auto first = static_cast<Index>(header ? 8 : 8 + length);
      const auto last = static_cast<Index>(header ? 8 + length : changed.size());
      const Index at = first + random.below(last - first);
      // In the header mostly digits, so that it stays a header.
      changed[static_cast<std::size_t>(at)] =
          static_cast<char>(header && std::isdigit(changed[static_cast<std::size_t>(at)]) != 0
                                ? '0' + random.below(10)
                                : random.below(256));
    }
    reseal(reinterpret_cast<std::uint8_t*>(changed.data()), changed.size());
    put(changed);
    try {
      Classifier::load(path_).predict(X);
      ++models;
    } catch (const Error&) {
      ++refused;
    } catch (const NumericalError&) {
      ++refused;
    }
  }
  EXPECT_GT(models, 100);
  EXPECT_GT(refused, 100);
}

TEST_F(DamagedModel, WithBytesBehindItIsRefused) {
  put(whole_ + '\0');
  EXPECT_THROW(Classifier::load(path_), Error);
}

}  // namespace
}  // namespace vargp
