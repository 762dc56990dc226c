#include "vargp/io/text.h"

#include <gtest/gtest.h>

namespace vargp {
namespace {

TEST(Text, NumbersAreWrittenForPeople) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-123456), "-123,456");
  EXPECT_EQ(size_of_bytes(999), "999 bytes");
  EXPECT_EQ(size_of_bytes(128'100), "128.1 kB");
  EXPECT_EQ(size_of_bytes(2'000'000), "2.0 MB");
  EXPECT_EQ(duration(0.0203), "21 ms");
  EXPECT_EQ(duration(0.5), "0.50 s");
  EXPECT_EQ(duration(3.04), "3.0 s");
  EXPECT_EQ(duration(65.9), "1:05 min");
  EXPECT_EQ(duration(5400), "1.5 h");
}

TEST(Text, ListsSayHowManyTheyLeaveOut) {
  const std::vector<std::string> names = {"a", "b", "c"};
  EXPECT_EQ(listed(names), "a, b, c");
  EXPECT_EQ(listed(names, 2), "a, b and 1 more");
}

TEST(Text, NamesCannotSteerATerminalNorTurnTheTextAroundThem) {
  EXPECT_EQ(printable("a\u202Eb\u2067c\033[2Jd\u05e0\n"), "abc[2Jd\u05e0");
  TextTable table({"name", "n"});
  table.add({"\033[31mäb", "12"});
  EXPECT_EQ(table.text(), "  name     n\n  [31mäb  12\n");
}

}  // namespace
}  // namespace vargp
