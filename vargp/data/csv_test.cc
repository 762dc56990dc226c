#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "vargp/core/error.h"
#include "vargp/data/table.h"

namespace vargp {
namespace {

using enum CellKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

// Hands out a few bytes at a time, as a slow pipe does.
class Trickle final : public Bytes {
 public:
  Trickle(std::string_view content, std::size_t step)
      : Bytes("trickle"), content_(content), step_(step) {}
  bool ready() override { return false; }

 protected:
  std::size_t get(char* out, std::size_t size) override {
    const std::size_t n = content_.copy(out, std::min(size, step_));
    content_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view content_;
  std::size_t step_;
};

std::unique_ptr<TableReader> csv(std::string_view content, const TableOptions& options = {}) {
  return read_table(bytes_in_memory("t.csv", content), options);
}

// Everything, as text.
std::vector<std::vector<std::string>> rows_of(TableReader& table) {
  table.want(std::vector<CellKind>(table.columns().size(), kText));
  std::vector<std::vector<std::string>> rows;
  TableChunk chunk;
  while (table.next(chunk, 2))
    for (Index i = 0; i < chunk.rows; ++i) {
      rows.emplace_back();
      for (const auto& column : chunk.text)
        rows.back().push_back(column[static_cast<std::size_t>(i)]);
    }
  return rows;
}
std::vector<std::vector<std::string>> rows_of(std::string_view content) {
  return rows_of(*csv(content));
}

RowMat<double> numbers_of(std::string_view content, Index chunk_rows = 100) {
  const auto table = csv(content);
  RowMat<double> all(0, std::ssize(table->columns()));
  TableChunk chunk;
  while (table->next(chunk, chunk_rows)) {
    all.conservativeResize(all.rows() + chunk.rows, all.cols());
    all.bottomRows(chunk.rows) = chunk.number;
  }
  return all;
}

auto reading(const std::string& content, const TableOptions& options = {}) {
  return [content, options] {
    const auto table = csv(content, options);
    TableChunk chunk;
    while (table->next(chunk, 10)) {
    }
  };
}
auto says(const std::string& text) { return ThrowsMessage<Error>(HasSubstr(text)); }

TEST(Csv, NumbersNamesAndLines) {
  const auto table = csv("a,b,c\n1,2.5,-3e2\n\n+4,.5,6.\n");
  EXPECT_THAT(table->columns(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(table->guess(), ElementsAre(kNumber, kNumber, kNumber));
  TableChunk chunk;
  ASSERT_TRUE(table->next(chunk, 10));
  EXPECT_EQ(chunk.number, (RowMat<double>{{1, 2.5, -300}, {4, 0.5, 6}}));
  EXPECT_THAT(chunk.line, ElementsAre(2, 4));
  EXPECT_FALSE(table->next(chunk, 10));
  EXPECT_EQ(chunk.rows, 0);
}

TEST(Csv, WantedColumnsStandInTheOrderOfTheFile) {
  const auto table = csv("name,x,skip,city,y\nAnn,1,?,Rome,2\nBob,3,??,Bonn,4\n");
  EXPECT_THAT(table->guess(), ElementsAre(kText, kNumber, kText, kText, kNumber));
  table->want({kText, kNumber, kSkip, kText, kNumber});
  TableChunk chunk;
  ASSERT_TRUE(table->next(chunk, 10));
  EXPECT_EQ(chunk.number, (RowMat<double>{{1, 2}, {3, 4}}));
  ASSERT_EQ(chunk.text.size(), 2u);
  EXPECT_THAT(chunk.text[0], ElementsAre("Ann", "Bob"));
  EXPECT_THAT(chunk.text[1], ElementsAre("Rome", "Bonn"));
}

TEST(Csv, QuotesAreThoseOfRfc4180) {
  EXPECT_THAT(rows_of("a,b\n\"x, \"\"y\"\"\n z\",\"\"\nq\"r, s \n"),
              ElementsAre(ElementsAre("x, \"y\"\n z", ""), ElementsAre("q\"r", " s ")));
  EXPECT_EQ(numbers_of("a,b\n\"1\", 2 \n"), (RowMat<double>{{1, 2}}));
}

TEST(Csv, LinesAreCountedThroughQuotedNewlines) {
  const auto table = csv("a,b\r\n\"1\r\n2\r\n3\",x\r\ny,z\r\n");
  table->want({kText, kText});
  TableChunk chunk;
  ASSERT_TRUE(table->next(chunk, 10));
  EXPECT_THAT(chunk.line, ElementsAre(2, 5));
}

TEST(Csv, LinesEndWithLfCrLfOrCr) {
  const RowMat<double> expected{{1, 2}, {3, 4}};
  EXPECT_EQ(numbers_of("a,b\n1,2\n3,4"), expected);
  EXPECT_EQ(numbers_of("a,b\r\n1,2\r\n3,4\r\n"), expected);
  EXPECT_EQ(numbers_of("a,b\r1,2\r3,4\r"), expected);
  EXPECT_THAT(reading("a,b\r\n1,2\r\n\r\nx,4\r\n"), says("line 4, column a"));
  EXPECT_THAT(reading("a,b\r1,2\r\rx,4\r"), says("line 4, column a"));
}

TEST(Csv, AByteOrderMarkIsNoPartOfTheFirstName) {
  EXPECT_THAT(csv("\xef\xbb\xbf\"a b\",c\n1,2\n")->columns(), ElementsAre("a b", "c"));
}

TEST(Csv, MissingIsNanAndEmptyText) {
  const RowMat<double> X = numbers_of("a,b\n,1\nNA,nan\nnull,?\n\"\",NULL\n1,2\n");
  EXPECT_EQ(X.array().isNaN().count(), 7);
  EXPECT_THAT(rows_of("a,b\nx,?\nNA,\"NA\"\n"),
              ElementsAre(ElementsAre("x", ""), ElementsAre("", "NA")));
}

TEST(Csv, TheHeaderIsFound) {
  EXPECT_THAT(csv("a,b\n1,2\n")->columns(), ElementsAre("a", "b"));
  EXPECT_THAT(csv("1,2\n3,4\n")->columns(), ElementsAre("x0", "x1"));
  EXPECT_THAT(csv("5.1,setosa\n4.9,virginica\n")->columns(), ElementsAre("x0", "x1"));
  EXPECT_THAT(csv("name,city\nAnn,Rome\n")->columns(), ElementsAre("name", "city"));
  EXPECT_THAT(csv("name,2020,x\n1,2,3\n")->columns(), ElementsAre("name", "2020", "x"));
  EXPECT_THAT(csv(",a\n0,1\n")->columns(), ElementsAre("x0", "a"));
  TableOptions none;
  none.header = false;
  EXPECT_THAT(csv("a,b\nc,d\n", none)->columns(), ElementsAre("x0", "x1"));
  TableOptions given;
  given.header = true;
  EXPECT_THAT(csv("1,2\n3,4\n", given)->columns(), ElementsAre("1", "2"));
}

TEST(Csv, TheDelimiterIsFound) {
  EXPECT_EQ(numbers_of("a;b\n1;2\n"), (RowMat<double>{{1, 2}}));
  EXPECT_EQ(numbers_of("a\tb\n1\t2\n"), (RowMat<double>{{1, 2}}));
  EXPECT_EQ(numbers_of("a|b\n1|2\n"), (RowMat<double>{{1, 2}}));
  EXPECT_EQ(numbers_of("7\n8\n"), (RowMat<double>{{7}, {8}}));
  EXPECT_THAT(csv("a;b,c;d\n1;2;3\n")->columns(), ElementsAre("a", "b,c", "d"));
  EXPECT_THAT(csv("a;\"b,c,d\";\"e,\nf\"\n1;2;3\n")->columns(), ElementsAre("a", "b,c,d", "e,\nf"));
  TableOptions options;
  options.delimiter = ':';
  EXPECT_THAT(csv("a:b\n1:2\n", options)->columns(), ElementsAre("a", "b"));
  options.delimiter = '"';
  EXPECT_THAT(reading("a\n1\n", options), says("delimiter \"\"\""));
}

TEST(Csv, ErrorsNameFileLineColumnAndValue) {
  EXPECT_THAT(reading("a,b\n1,2\n3,four\n"),
              says("t.csv, line 3, column b: \"four\", expected a number"));
  EXPECT_THAT(reading("a,b\n1,2\n3,1.5.2\n"),
              says("line 3, column b: \"1.5.2\", expected a number"));
  EXPECT_THAT(reading("a,b\n1,2\n1e999,2\n"),
              says("line 3, column a: \"1e999\", expected a finite"));
  EXPECT_THAT(reading("a,b\n1,2\n3,inf\n"), says("line 3, column b: \"inf\", expected a finite"));
  EXPECT_THAT(reading("a,b\n1,2\n3\n"), says("t.csv, line 3: 1 cells, expected 2"));
  EXPECT_THAT(reading("a,b\n1,2\n3,4,5,6\n"), says("t.csv, line 3: 4 cells, expected 2"));
  EXPECT_THAT(reading("a,b\n1,2\n3,\"4\n5,6\n"), says("t.csv, line 3: a quote is not closed"));
  EXPECT_THAT(reading("a,b\n1,2\n3,\"4\"5\n"),
              says("line 3, column 2: \"5\" after the closing quote"));
  EXPECT_THAT(reading("a,b,a\n1,2,3\n"), says("t.csv: two columns have the name \"a\""));
  EXPECT_THAT(reading("a,b\n1,\x1b[31m\n"), says("\"\\x1b[31m\""));
}

TEST(Csv, WhatIsNoTableIsRefused) {
  EXPECT_THAT(reading(""), says("t.csv: is empty"));
  EXPECT_THAT(reading("\n\r\n\n"), says("t.csv: is empty"));
  EXPECT_THAT(reading("\xef\xbb\xbf"), says("t.csv: is empty"));
  EXPECT_THAT(reading("a,b\n"), says("t.csv: has a header but no rows"));
  EXPECT_THAT(reading("a,b\n\n\n"), says("t.csv: has a header but no rows"));
  EXPECT_THAT(reading("\""), says("line 1: a quote is not closed"));
  EXPECT_THAT(reading(std::string("a,b\n1,\0\n", 8)), says("t.csv, line 2: a zero byte"));
  EXPECT_THAT(reading(std::string("\xff\xfe"
                                  "a\0,\0",
                                  6)),
              says("UTF-16"));
  EXPECT_THAT(reading("a\xff,b\n1,2\n"), says("name of column 1 is \"a\\xff\", expected UTF-8"));
  EXPECT_THAT([] { rows_of("a\nx\xc0\xaf\n"); }, says("expected UTF-8"));
}

TEST(Csv, ARowWithoutEndIsRefusedBeforeItTakesMuchMemory) {
  EXPECT_THAT(reading("a,b\n1,2\n\"" + std::string(20 << 20, 'x')), says("line 3: longer than"));
  EXPECT_THAT(reading(std::string(1 << 20, ',')), says("more than 262144 cells"));
}

TEST(Csv, ChunksAndPiecesOfAnySizeReadTheSame) {
  std::string content = "a,b,t\r\n";
  for (int i = 0; i < 300; ++i) content += fmt::format("{},{},\"t{}\"\"\r\n,\"\r\n", i, i / 7.0, i);
  TableChunk whole;
  const auto table = csv(content);
  EXPECT_THAT(table->guess(), ElementsAre(kNumber, kNumber, kText));
  table->want(table->guess());
  ASSERT_TRUE(table->next(whole, 1000));
  ASSERT_EQ(whole.rows, 300);
  EXPECT_EQ(whole.number(299, 1), 299 / 7.0);
  EXPECT_EQ(whole.line.back(), 2 + 2 * 299);
  for (const std::size_t step : {1, 2, 7, 100})
    for (const Index max_rows : {1, 3, 1000}) {
      const auto slow = read_table(std::make_unique<Trickle>(content, step));
      slow->want({kNumber, kNumber, kText});
      TableChunk chunk;
      Index at = 0;
      while (slow->next(chunk, max_rows)) {
        EXPECT_EQ(chunk.number, whole.number.middleRows(at, chunk.rows));
        for (Index i = 0; i < chunk.rows; ++i) {
          EXPECT_EQ(chunk.line[static_cast<std::size_t>(i)],
                    whole.line[static_cast<std::size_t>(at + i)]);
          EXPECT_EQ(chunk.text[0][static_cast<std::size_t>(i)],
                    whole.text[0][static_cast<std::size_t>(at + i)]);
        }
        at += chunk.rows;
      }
      EXPECT_EQ(at, 300);
    }
}

TEST(Csv, APipeIsAnsweredRowByRow) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto put = [&](std::string_view text) {
    ASSERT_EQ(write(ends[1], text.data(), text.size()), std::ssize(text));
  };
  put("a,b\n1,2\n");
  const auto table = open_table(fmt::format("/dev/fd/{}", ends[0]));
  TableChunk chunk;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(table->next(chunk, 100));  // would wait for ever if it asked for more
    EXPECT_EQ(chunk.number, (RowMat<double>{{1.0 + i, 2}}));
    put(fmt::format("{},2\n", 2 + i));
  }
  close(ends[1]);
  ASSERT_TRUE(table->next(chunk, 100));
  EXPECT_FALSE(table->next(chunk, 100));
  close(ends[0]);
}

TEST(Csv, AFileThatIsNotThereIsNamed) {
  EXPECT_THAT([] { open_table("/nowhere/a.csv"); }, says("/nowhere/a.csv: there is no such file"));
  EXPECT_THAT([] { open_table("/"); }, says("/: not a file"));
}

}  // namespace
}  // namespace vargp
