// A model file is whole and unchanged, or it is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "vargp/core/random.h"
#include "vargp/vargp.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;

class DamagedModel : public testing::Test {
 protected:
  fs::path path_ = fs::path(testing::TempDir()) / "vargp_damaged_model";

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

TEST_F(DamagedModel, WithBytesBehindItIsRefused) {
  put(whole_ + '\0');
  EXPECT_THROW(Classifier::load(path_), Error);
}

}  // namespace
}  // namespace vargp
