// NPY, NPZ and IDX as tables. The files of fuzz/corpus were written by NumPy.
#include "vargp/data/arrays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>
#include <zlib.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "vargp/core/error.h"

namespace vargp {
namespace {

namespace fs = std::filesystem;
using enum CellKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const fs::path kCorpus = fs::path(VARGP_SOURCE_DIR) / "fuzz" / "corpus";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// What fuzz/make_corpus.py writes.
const RowMat<double> kX{{0.5, -1, 2}, {3, kNan, 1e-3}};

auto says(const std::string& text) { return ThrowsMessage<Error>(HasSubstr(text)); }

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class T>
std::string raw(std::initializer_list<T> values) {
  std::string out;
  for (const T value : values) out.append(reinterpret_cast<const char*>(&value), sizeof value);
  return out;
}

// An NPY file of version 1 with this dictionary and these values.
std::string npy(const std::string& dictionary, const std::string& values) {
  const auto length = static_cast<std::uint16_t>(dictionary.size());
  return "\x93NUMPY" + std::string("\1\0", 2) + raw({length}) + dictionary + values;
}
std::string npy(const std::string& descr, const std::string& shape, const std::string& values,
                bool fortran = false) {
  return npy(fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr,
                         fortran ? "True" : "False", shape),
             values);
}

RowMat<double> all(TableReader& table, Index chunk_rows = 100) {
  RowMat<double> X(0, std::ssize(table.columns()));
  TableChunk chunk;
  while (table.next(chunk, chunk_rows)) {
    X.conservativeResize(X.rows() + chunk.rows, X.cols());
    X.bottomRows(chunk.rows) = chunk.number;
  }
  return X;
}
RowMat<double> all(const std::string& bytes, Index chunk_rows = 100) {
  return all(*read_table(bytes_in_memory("t.npy", bytes)), chunk_rows);
}

// NaN is the same as NaN.
void expect_same(const RowMat<double>& A, const RowMat<double>& B) {
  ASSERT_EQ(A.rows(), B.rows());
  ASSERT_EQ(A.cols(), B.cols());
  for (Index i = 0; i < A.size(); ++i)
    EXPECT_TRUE(A.data()[i] == B.data()[i] || (std::isnan(A.data()[i]) && std::isnan(B.data()[i])))
        << i << ": " << A.data()[i] << " is not " << B.data()[i];
}

auto reading(const std::string& bytes, const TableOptions& options = {}) {
  return [=] {
    const auto table = read_table(bytes_in_memory("t.npy", bytes), options);
    TableChunk chunk;
    while (table->next(chunk, 10)) {
    }
  };
}

class Arrays : public testing::Test {
 protected:
  fs::path folder_ =
      fs::path(testing::TempDir()) /
      (std::string("vargp_") + testing::UnitTest::GetInstance()->current_test_info()->name());
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
};

TEST(Npy, EveryTypeThatNumpyWritesHasTheSameValues) {
  for (const char* name : {"f8", "big_f8", "version_2", "version_3", "fortran", "packed"}) {
    const fs::path path =
        kCorpus / "npy" / (std::string(name) + (name[0] == 'p' ? ".npy.gz" : ".npy"));
    const auto table = open_table(path);
    EXPECT_THAT(table->columns(), ElementsAre("x0", "x1", "x2"));
    // All but version 2, 3 and fortran were written without their signs.
    const RowMat<double> X = all(*table);
    expect_same(X.cwiseAbs(), kX.cwiseAbs());
  }
  for (const char* name : {"f4", "big_f4"})
    expect_same(all(*open_table(kCorpus / "npy" / (std::string(name) + ".npy"))),
                RowMat<double>{{0.5, 1, 2}, {3, kNan, double{1e-3F}}});
  for (const char* name : {"i1", "i2", "big_i4", "i8", "u1", "u2", "u4", "big_u8"})
    expect_same(all(*open_table(kCorpus / "npy" / (std::string(name) + ".npy"))),
                RowMat<double>{{0, 1, 2}, {3, 0, 0}});
  expect_same(all(*open_table(kCorpus / "npy/b1.npy")), RowMat<double>{{1, 1, 1}, {1, 0, 1}});
  const RowMat<double> half = all(*open_table(kCorpus / "npy/f2.npy"));
  EXPECT_NEAR(half(1, 2), 1e-3, 1e-6);
  EXPECT_EQ(half(0, 2), 2);
  expect_same(all(*open_table(kCorpus / "npy/one_dimension.npy")), kX.col(0));
}

TEST(Npy, LargeWholeNumbersKeepTheirSign) {
  EXPECT_EQ(all(npy("<i2", "(2,)", raw<std::int16_t>({-7, 300}))), (RowMat<double>{{-7}, {300}}));
  EXPECT_EQ(all(npy("<u8", "(1,)", raw<std::uint64_t>({std::uint64_t{1} << 63}))),
            (RowMat<double>{{std::ldexp(1.0, 63)}}));
}

TEST(Npy, FortranOrderReadsTheSameInChunks) {
  RowMat<double> X = RowMat<double>::Random(7, 5);
  const Mat<double> columns = X;
  const std::string bytes(reinterpret_cast<const char*>(columns.data()), 7 * 5 * 8);
  for (const Index rows : {1, 3, 100}) expect_same(all(npy("<f8", "(7, 5)", bytes, true), rows), X);
}

TEST(Npy, PicturesKeepTheirShape) {
  const auto table = open_table(kCorpus / "npy/pictures.npy");
  EXPECT_EQ(table->image_rows(), 2);
  EXPECT_EQ(table->image_cols(), 3);
  EXPECT_EQ(all(*table).row(1), (RowMat<double>{{6, 7, 8, 9, 10, 11}}));
}

TEST(Npy, TextsAreTextsAndNumbersMayBeToo) {
  const auto table = open_table(kCorpus / "npy/text.npy");
  EXPECT_THAT(table->guess(), ElementsAre(kText, kText));
  table->want({kText, kText});
  TableChunk chunk;
  ASSERT_TRUE(table->next(chunk, 10));
  EXPECT_THAT(chunk.text[0], ElementsAre("cat", ""));
  EXPECT_THAT(chunk.text[1], ElementsAre("käse", "1.5"));
  for (const char* name : {"big_text.npy", "bytes.npy"}) {
    const auto one = open_table(kCorpus / "npy" / name);
    one->want({kText});
    ASSERT_TRUE(one->next(chunk, 1));
    EXPECT_THAT(chunk.text[0], ElementsAre("cat"));
  }
  const auto numbers = open_table(kCorpus / "npy/fortran.npy");
  numbers->want({kSkip, kText, kText});
  ASSERT_TRUE(numbers->next(chunk, 10));
  EXPECT_THAT(chunk.text[0], ElementsAre("-1", ""));
  EXPECT_THAT(chunk.text[1], ElementsAre("2", "0.001"));
}

TEST(Npy, ErrorsNameRowColumnAndValue) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(reading(npy("<f8", "(2, 2)", raw({1.0, 2.0, 3.0, infinity}))),
              says("t.npy, row 2, column x1: inf, expected a finite number"));
  EXPECT_THAT([] { all(*open_table(kCorpus / "npy/text.npy")); },
              says("row 1, column x0: \"cat\", expected a number"));
  EXPECT_THAT(
      [] {
        const std::string bytes = npy("<U1", "(1,)", raw<std::uint32_t>({0x110000}));
        const auto table = read_table(bytes_in_memory("t", bytes));
        table->want({kText});
        TableChunk chunk;
        table->next(chunk, 1);
      },
      says("t, row 1, column x0: \"\\xff\", expected UTF-8"));
}

TEST(Npy, AFewBytesThatClaimGigabytesAreRefusedAtOnce) {
  // 2^32 doubles.
  std::string claims = npy("<f8", "(65536, 65536)", "");
  claims.resize(80, ' ');
  EXPECT_THAT(reading(claims),
              says("header claims 65536 values or more, but the file holds 80 bytes at most"));
  EXPECT_THAT(reading(npy("<f8", "(4294967296, 4294967296)", "")), says("header claims"));
  EXPECT_THAT(reading(npy("<f8", "(9223372036854775808, 2)", "")), says("header claims"));
  EXPECT_THAT(reading(npy("<f8", "(18446744073709551616,)", "")), says("a size below 2^64"));
  EXPECT_THAT(reading(npy("<U60000", "(1, 200)", std::string(48'000'000, '\0'))),
              says("200 values of 240000 bytes in a row"));
  EXPECT_THAT(reading("\x93NUMPY" + std::string("\2\0", 2) + std::string(4, '\xff')),
              says("header claims 4294967295 bytes, expected at most 65536"));
}

TEST(Npy, HeadersAreReadAsTheyAreOrRefused) {
  const auto refuses = [](const std::string& dictionary, const char* why) {
    EXPECT_THAT(reading(npy(dictionary, raw({1.0}))), says(why)) << dictionary;
  };
  EXPECT_EQ(all(npy("{\"shape\":(1L,) , 'descr' : \"<f8\",'fortran_order':False}", raw({2.0}))),
            (RowMat<double>{{2}}));
  refuses("", "expected {");
  refuses("{'descr': '<f8', 'fortran_order': False}", "the header has no shape");
  refuses("{'descr': '<f8', 'descr': '<f8'}", "expected each key once");
  refuses("{'more': 1}", "a key \"more\", expected descr, fortran_order and shape");
  refuses("{'shape': (1,), 'fortran_order': 0}", "expected False");
  refuses("{'shape': (-1,)}", "expected a size");
  refuses("{'shape': (1,1,1,1,1,1,1,1,1)}", "at most 8 dimensions");
  refuses("{'descr': [('a', '<f8')]}", "expected one type for all values");
  refuses("{'descr': '<f8", "expected a type in quotes");
  refuses("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x", "nothing after }");
  for (const char* type :
       {"|O", "<c16", "<f16", "f8", "<f", "<f8x", "<M8", "|S0", "<i99999999999999"})
    EXPECT_THAT(reading(npy(type, "(1,)", raw({1.0}))), says("expected numbers")) << type;
  EXPECT_THAT(reading(npy("<f8", "()", raw({1.0}))), says("without dimensions"));
  EXPECT_THAT(reading(npy("<f8", "(0, 2)", "")), says("dimension 0 has the size 0"));
  EXPECT_THAT(reading("\x93NUMPY" + std::string("\4\0", 2)), says("version 4, expected 1 to 3"));
}

TEST(Npy, ValuesAreExactlyAsManyAsClaimed) {
  for (const bool fortran : {false, true}) {
    EXPECT_THAT(reading(npy("<f8", "(2, 2)", raw({1.0, 2.0, 3.0}), fortran)),
                says("header claims"));
    EXPECT_THROW(reading(npy("<f8", "(2, 2)", raw({1.0, 2.0, 3.0, 4.0, 5.0}), fortran))(), Error);
  }
}

TEST_F(Arrays, AFileCutOrWithAnyBitFlippedIsRefusedOrReadsAsSomeTable) {
  for (const char* name :
       {"npy/f8.npy", "npy/packed.npy.gz", "npy/fortran.npy", "npz/xy.npz", "npz/packed.npz",
        "npz/twice.npz.gz", "idx/images.gz", "csv/numbers.csv.gz"}) {
    const std::string whole = content(kCorpus / name);
    ASSERT_FALSE(whole.empty());
    const auto open = [](const std::string& bytes) { reading(bytes)(); };
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_THROW(
          {
            const std::string cut = whole.substr(0, size);
            const auto table = read_table(unpacked(bytes_in_memory("t", cut)));
            table->want(table->guess());
            TableChunk chunk;
            while (table->next(chunk, 10)) {
            }
          },
          Error)
          << name << " cut after " << size;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ (1 << i % 8));
      try {
        open(changed);
      } catch (const Error&) {
      }
    }
  }
}

// Found by idx_fuzz: 25 bytes made a hundred thousand names.
TEST_F(Arrays, AFewPackedBytesMakeNoColumns) {
  const fs::path path = folder_ / "wide.gz";
  const gzFile file = gzopen(path.c_str(), "wb");
  const std::string header("\0\0\10\2\0\0\0\1\0\1\0\0", 12);  // 1 x 65536
  gzwrite(file, header.data(), static_cast<unsigned>(header.size()));
  gzclose(file);
  EXPECT_THAT([&] { open_table(path); }, says("ends within row 1"));
}

TEST(Npz, XAndYStandSideBySide) {
  for (const char* name : {"xy.npz", "packed.npz", "twice.npz.gz"}) {
    const auto table = open_table(kCorpus / "npz" / name);
    EXPECT_THAT(table->columns(), ElementsAre("x0", "x1", "x2", "y")) << name;
    EXPECT_THAT(table->guess(), ElementsAre(kNumber, kNumber, kNumber, kText));
    table->want(table->guess());
    TableChunk chunk;
    ASSERT_TRUE(table->next(chunk, 10));
    expect_same(chunk.number, kX);
    EXPECT_THAT(chunk.text[0], ElementsAre("no", "yes"));
    EXPECT_FALSE(table->next(chunk, 10));
  }
}

TEST(Npz, OtherArraysGiveTheirNames) {
  EXPECT_THAT(open_table(kCorpus / "npz/one.npz")->columns(), ElementsAre("x0", "x1", "x2"));
  EXPECT_THAT(open_table(kCorpus / "npz/several.npz")->columns(),
              ElementsAre("age", "size0", "size1", "group"));
  TableOptions options;
  options.arrays = {"group", "age"};
  EXPECT_THAT(open_table(kCorpus / "npz/several.npz", options)->columns(),
              ElementsAre("group", "age"));
  options.arrays = {"weight"};
  EXPECT_THAT([&] { open_table(kCorpus / "npz/several.npz", options); },
              says("has no array \"weight\", expected one of age, size, group"));
  options.arrays = {"X", "names"};
  EXPECT_THAT([&] { open_table(kCorpus / "npz/packed.npz", options); },
              says("array names has 3 rows, but"));
}

// Archives with one entry of zeros, a thousandth of what they unpack to.
TEST_F(Arrays, AZipBombIsReadInChunksOrRefused) {
  const fs::path path = folder_ / "bomb.npz";
  const Index rows = Index{1} << 24;
  const auto pack = [&](const std::string& header, std::size_t zeros) {
    fs::remove(path);
    int code = 0;
    zip_t* zip = zip_open(path.c_str(), ZIP_CREATE, &code);
    ASSERT_NE(zip, nullptr);
    const std::string bytes = header + std::string(zeros, '\0');
    zip_source_t* source = zip_source_buffer(zip, bytes.data(), bytes.size(), 0);
    ASSERT_GE(zip_file_add(zip, "X.npy", source, 0), 0);
    ASSERT_EQ(zip_close(zip), 0);
  };
  pack(npy("|u1", fmt::format("({}, 4)", rows), ""), std::size_t{1} << 26);
  const auto table = open_table(path);
  TableChunk chunk;
  Index seen = 0;
  while (table->next(chunk, 1 << 16)) seen += chunk.rows;
  EXPECT_EQ(seen, rows);
  // More than the archive can hold is refused at once.
  pack(npy("|u1", "(4294967296, 4)", ""), 1000);
  EXPECT_THAT([&] { open_table(path); }, says("array X: the header claims 4294967296 values"));
  // All of it at once is refused before it is held.
  pack(npy("|u1", fmt::format("({}, 17)", rows), "", true), std::size_t{17} << 24);
  EXPECT_THAT([&] { open_table(path); }, says("unpacks to more than 256 MB"));
}

TEST(Npz, WhatIsNoArchiveIsRefused) {
  EXPECT_THAT(reading("PK\3\4 and so on"), says("t.npy: not a zip archive that can be read"));
  EXPECT_THAT(reading(std::string("PK\5\6", 4) + std::string(18, '\0')), says("has no arrays"));
}

TEST(Npz, WhatAFileHasNoUseForIsRefused) {
  TableOptions arrays, labels;
  arrays.arrays = {"X"};
  labels.labels = kCorpus / "idx/labels";
  EXPECT_THAT([&] { open_table(kCorpus / "npy/f8.npy", arrays); }, says("expected an NPZ file"));
  EXPECT_THAT([&] { open_table(kCorpus / "npy/f8.npy", labels); }, says("expected IDX pictures"));
}

TEST_F(Arrays, IdxPicturesFindTheirLabels) {
  const std::string images = content(kCorpus / "idx/images"),
                    labels = content(kCorpus / "idx/labels");
  const fs::path path = write("t10k-images-idx3-ubyte", images);
  EXPECT_THAT(open_table(path)->columns(), ElementsAre("p0", "p1", "p2"));
  fs::copy(kCorpus / "idx/images.gz", folder_ / "a-images.idx3-ubyte.gz");
  write("t10k-labels-idx1-ubyte", labels);
  write("a-labels.idx1-ubyte", labels);
  for (const char* name : {"t10k-images-idx3-ubyte", "a-images.idx3-ubyte.gz"}) {
    const auto table = open_table(folder_ / name);
    EXPECT_THAT(table->columns(), ElementsAre("p0", "p1", "p2", "label"));
    EXPECT_EQ(table->image_rows(), 1);
    EXPECT_EQ(table->image_cols(), 3);
    table->want({kNumber, kNumber, kNumber, kText});
    TableChunk chunk;
    ASSERT_TRUE(table->next(chunk, 10));
    expect_same(chunk.number, RowMat<double>{{0, 0.2, 1}, {0.4, 0, 0.8}});
    EXPECT_THAT(chunk.text[0], ElementsAre("7", "9"));
  }
  TableOptions options;
  options.labels = write("three", std::string("\0\0\10\1\0\0\0\3\1\2\3", 11));
  EXPECT_THAT([&] { open_table(path, options); }, says("three has 3 rows, but"));
}

}  // namespace
}  // namespace vargp
