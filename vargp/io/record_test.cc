#include "vargp/io/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "vargp/core/error.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

fs::path scratch(const std::string& name) { return fs::path(testing::TempDir()) / name; }

TEST(Record, ReadsBackTheSameDoubles) {
  Json record;
  record["values"] = {0.1,  1.0 / 3, std::nextafter(1.0, 2), 1e-310, -1.7976931348623157e308,
                      1e22, -0.0};
  record["count"] = 9'007'199'254'740'993;
  const fs::path path = scratch("vargp_record.json");
  write_record(path, record);
  const Json back = read_record(path);
  EXPECT_EQ(back, record);
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_EQ(back["values"][i].get<double>(), record["values"][i].get<double>());
  EXPECT_TRUE(std::signbit(back["values"][6].get<double>()));
  fs::remove(path);
}

TEST(Record, KeepsTheOrderOfFieldsAndPutsPlainListsInOneLine) {
  Json record;
  record["zeta"] = "a \"quote\"";
  record["alpha"] = to_json(Mat<double>{{1, 0.5}, {0.25, 2}});
  record["empty"] = Json::array();
  record["inner"]["b"] = nullptr;
  EXPECT_EQ(record_text(record),
            "{\n"
            "  \"zeta\": \"a \\\"quote\\\"\",\n"
            "  \"alpha\": [\n"
            "    [1.0, 0.5],\n"
            "    [0.25, 2.0]\n"
            "  ],\n"
            "  \"empty\": [],\n"
            "  \"inner\": {\n"
            "    \"b\": null\n"
            "  }\n"
            "}\n");
}

TEST(Record, AMatrixIsAListOfRowsAndAVectorAList) {
  EXPECT_EQ(to_json(Mat<double>{{1, 2, 3}, {4, 5, 6}}).dump(), "[[1.0,2.0,3.0],[4.0,5.0,6.0]]");
  EXPECT_EQ(to_json(RowMat<double>{{1, 2}}).dump(), "[[1.0,2.0]]");
  EXPECT_EQ(to_json(Vec<double>{{1, 2}}).dump(), "[1.0,2.0]");
}

TEST(Record, RefusesWhatIsNotFiniteByItsPlace) {
  Json record;
  record["R"] = {{0.5, 0.25}, {0.5, std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_THAT([&] { write_record(scratch("vargp_nan.json"), record); },
              ThrowsMessage<Error>(HasSubstr("R/1/1 is nan")));
  EXPECT_FALSE(fs::exists(scratch("vargp_nan.json")));
}

TEST(Record, ErrorsOfReadingNameTheFile) {
  EXPECT_THAT([] { read_record(scratch("vargp_absent.json")); },
              ThrowsMessage<Error>(HasSubstr("vargp_absent.json: cannot be read")));
  const fs::path path = scratch("vargp_cut.json");
  std::ofstream(path) << "{\"a\": ";
  EXPECT_THAT(
      [&] { read_record(path); },
      ThrowsMessage<Error>(HasSubstr("vargp_cut.json: not a record: parse error at line 1")));
  fs::remove(path);
}

}  // namespace
}  // namespace vargp
