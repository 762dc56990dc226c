#include "vargp/io/safetensors.h"

#define XXH_INLINE_ALL  // NOLINT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include "vargp/core/error.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Part {
  Mat<float> A;
  Vec<double> v;
  template <class Archive>
  void fields(Archive& a) {
    a("A", A);
    a("v", v);
    a.expect(A.rows() == v.size(), "as many rows of A as entries of v");
  }
};

struct Whole {
  Index count = 0;
  double s2 = 0;
  std::vector<Index> sizes;
  std::vector<Mat<double>> L;
  std::vector<Part> parts;
  Part part;
  template <class Archive>
  void fields(Archive& a) {
    a("count", count);
    a("s2", s2);
    a("sizes", sizes);
    a("L", L);
    a("parts", parts);
    a("part", part);
  }
};

Part a_part(Index rows) { return {Mat<float>::Random(rows, 2), Vec<double>::Random(rows)}; }

State state_of(const Whole& whole) {
  State state;
  StateWriter writer(state);
  writer("whole", whole);
  return state;
}

class SafetensorsTest : public testing::Test {
 protected:
  fs::path path_ =
      fs::path(testing::TempDir()) /
      (std::string("vargp_") + testing::UnitTest::GetInstance()->current_test_info()->name());
  void TearDown() override { fs::remove(path_); }

  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), std::ssize(bytes));
  }
  // A file with this header and that many bytes of tensors.
  void write(const std::string& header, std::size_t bytes) const {
    const std::uint64_t length = header.size();
    put(std::string(reinterpret_cast<const char*>(&length), 8) + header + std::string(bytes, '\0'));
  }
};

TEST_F(SafetensorsTest, EverythingComesBackWithTheSameBits) {
  const Whole out{7,
                  0.1,
                  {3, 0, 5},
                  {Mat<double>::Random(2, 3), Mat<double>(0, 4)},
                  {a_part(1), a_part(2)},
                  a_part(3)};
  State state = state_of(out);
  state.text["note"] = "a \"text\" with \"xxh3\":\"\n and ü";
  write_safetensors(path_, state);
  State back = read_safetensors(path_);
  EXPECT_EQ(back.text, state.text);
  Whole in;
  StateReader reader(back);
  reader("whole", in);
  reader.finish();
  EXPECT_EQ(in.count, 7);
  EXPECT_EQ(in.s2, 0.1);
  EXPECT_EQ(in.sizes, out.sizes);
  ASSERT_EQ(in.L.size(), 2u);
  EXPECT_EQ(in.L[0], out.L[0]);
  EXPECT_EQ(in.L[1].cols(), 4);
  ASSERT_EQ(in.parts.size(), 2u);
  EXPECT_EQ(in.parts[1].A, out.parts[1].A);
  EXPECT_EQ(in.part.v, out.part.v);
}

TEST_F(SafetensorsTest, AFileCutShortOrWithAnyByteChangedIsRefused) {
  State state = state_of({1, 2, {3}, {}, {}, a_part(2)});
  state.text["note"] = "n";
  write_safetensors(path_, state);
  const std::string whole = content();
  const auto parse = [](const std::string& bytes) {
    const auto file = std::make_shared<const std::string>(bytes);
    parse_safetensors("file", *file, file);
  };
  EXPECT_NO_THROW(parse(whole));
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_THROW(parse(whole.substr(0, i)), Error) << "cut after " << i;
  EXPECT_THROW(parse(whole + '\0'), Error);
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int flip : {0x01, 0x20, 0x80, 0xff}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      EXPECT_THROW(parse(changed), Error) << "byte " << i << " ^ " << flip;
    }
}

TEST_F(SafetensorsTest, AStateOutlivesThePathOfItsFile) {
  write_safetensors(path_, state_of({1, 2, {3}, {}, {}, a_part(2)}));
  State state = read_safetensors(path_);
  write_safetensors(path_, state_of({9, 9, {9}, {}, {}, a_part(1)}));
  Whole in;
  StateReader reader(state);
  reader("whole", in);
  EXPECT_EQ(in.count, 1);
  EXPECT_EQ(in.part.v.size(), 2);
}

TEST_F(SafetensorsTest, LiesAreNamedBeforeMemoryIsTaken) {
  const auto refuses = [&](const std::string& tensors, const char* why) {
    write("{" + tensors + "}", 16);
    EXPECT_THAT([&] { read_safetensors(path_); }, ThrowsMessage<Error>(HasSubstr(why))) << tensors;
  };
  refuses("\"a\": 1, \"a\": 2", "the key \"a\" twice");
  refuses("\"a\": [[[[[[1]]]]]]", "nested deeper than 4");
  refuses("\"a\": }", "not JSON");
  refuses("\"a\": 1", "has no __metadata__");
  const std::uint64_t huge = std::uint64_t{1} << 63;
  put(std::string(reinterpret_cast<const char*>(&huge), 8) + "{}");
  EXPECT_THAT([&] { read_safetensors(path_); },
              ThrowsMessage<Error>(
                  HasSubstr("claims a header of 9223372036854775808, expected at most 2")));
  EXPECT_THAT([&] { read_safetensors(path_.string() + ".none"); },
              ThrowsMessage<Error>(HasSubstr(".none: cannot be read: No such file")));
}

// Behind a right checksum everything must hold by itself.
TEST_F(SafetensorsTest, SizesAndOffsetsMustFit) {
  const auto refuses = [&](const std::string& tensors, const char* why) {
    std::string header =
        "{\"__metadata__\":{\"format\":\"vargp\",\"format_version\":\"1\",\"vargp\":\"0\","
        "\"xxh3\":\"0000000000000000\"}," +
        tensors + "}";
    header.replace(header.find("0000000000000000"), 16,
                   fmt::format("{:016x}", XXH3_64bits(header.data(), header.size())));
    write(header, 16);
    EXPECT_THAT([&] { read_safetensors(path_); }, ThrowsMessage<Error>(HasSubstr(why))) << tensors;
  };
  const auto tensor = [](const char* name, const char* dtype, const char* shape, const char* at) {
    return fmt::format("\"{}\":{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":{}}}", name, dtype,
                       shape, at);
  };
  refuses(tensor("a", "F64", "[2]", "[0,16]"), "__metadata__ has no xxh3:a");
  refuses(tensor("a", "F16", "[2]", "[0,16]"), "dtype is \"F16\", expected F32, F64 or I64");
  refuses(tensor("a", "F64", "[3]", "[0,16]"), "data_offsets is [0,16], expected 24 bytes");
  refuses(tensor("a", "F64", "[-1]", "[0,16]"), "shape is [-1], expected whole numbers");
  refuses(tensor("a", "F64", "[1.5]", "[0,16]"), "expected whole numbers");
  refuses(tensor("a", "F64", "[4294967296,4294967296]", "[0,0]"), "a product below 2^64");
  refuses(tensor("a", "F64", "[18446744073709551615]", "[0,16]"), "sizes below 2^63");
  refuses(tensor("a", "F64", "[2]", "[16,0]"), "data_offsets is [16,0], expected [begin, end]");
  refuses(tensor("a", "F64", "[1]", "[8,16]"), "begin at 8, expected 0");
  refuses(tensor("a", "F64", "[1]", "[0,8]"), "the tensors take 8 bytes, the file has 16");
  refuses(tensor("a", "F64", "[2]", "[0,16]") + "," + tensor("b", "F64", "[1]", "[8,16]"),
          "tensor b: data_offsets begin at 8, expected 16");
  refuses("\"a\": 1", "tensor a: data_offsets is missing");
}

TEST(State, WhatDoesNotFitIsNamed) {
  const auto refuses = [](const std::function<void(State&)>& spoil, const char* why) {
    State state = state_of({1, 2, {3}, {}, {}, a_part(2)});
    spoil(state);
    const auto read = [&] {
      Whole in;
      StateReader reader(state);
      reader("whole", in);
      reader.finish();
    };
    EXPECT_THAT(read, ThrowsMessage<Error>(HasSubstr(why)));
  };
  refuses([](State& s) { s.tensors.erase("whole/s2"); }, "tensor whole/s2 is missing");
  refuses([](State& s) { s.tensors["more"]; }, "tensor more is not known");
  refuses([](State& s) { s.tensors["whole/s2"].dtype = Dtype::kF32; },
          "has dtype F32, expected F64");
  refuses([](State& s) { s.tensors["whole/s2"] = s.tensors["whole/sizes"]; }, "expected F64");
  refuses(
      [](State& s) {
        s.tensors["whole/part/A"].shape = {1, 4};
      },
      "expected whole/part/as many rows of A as entries of v");
  refuses([](State& s) { s.tensors["whole/part/v"].bytes = std::string(16, '\xff'); },
          "expected whole/part/v of finite numbers");
}

TEST_F(SafetensorsTest, WhatCouldNotBeReadAgainIsNotWrittenAndTheOldFileStays) {
  const Whole whole;
  write_safetensors(path_, state_of(whole));
  const std::string before = content();
  Whole broken = whole;
  broken.s2 = std::numeric_limits<double>::infinity();
  EXPECT_THROW(write_safetensors(path_, state_of(broken)), NumericalError);
  broken = whole;
  broken.part = a_part(2);
  broken.part.A(1, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(write_safetensors(path_, state_of(broken)), NumericalError);
  EXPECT_EQ(content(), before);
}

}  // namespace
}  // namespace vargp
