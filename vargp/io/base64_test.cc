#include "vargp/io/base64.h"

#include <gtest/gtest.h>

namespace vargp {
namespace {

std::string of(const std::string& text) {
  return base64({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
}

TEST(Base64, GivesTheStandardsOwnExamples) {
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(of("\xff\xfe"), "//4=");
}

}  // namespace
}  // namespace vargp
