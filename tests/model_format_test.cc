// Model files of every released format version stay readable, and predict what they did. How the
// samples were made: tests/models/README.md.
#include <gtest/gtest.h>

#include <filesystem>

#include "vargp/data/table.h"
#include "vargp/table/table_columns.h"
#include "vargp/table/table_model.h"

namespace vargp {
namespace {

const std::filesystem::path kModels = std::filesystem::path(VARGP_SOURCE_DIR) / "tests/models";

class Sample : public testing::TestWithParam<const char*> {};

TEST_P(Sample, IsStillReadAndPredictsWhatItDid) {
  const std::string name = GetParam();
  const TableModel model = TableModel::load(kModels / (name + ".vargp"));
  EXPECT_EQ(model.tasks(), 2);
  EXPECT_EQ(model.history()[0].source, "one.csv");
  const auto rows = open_table(kModels / "rows.csv");
  TableColumns columns(model.schema(), *rows, false);
  TableChunk chunk;
  ASSERT_TRUE(columns.next(chunk, 100));
  const TablePrediction p = model.predict_encoded(columns.encode(chunk));

  const auto file = open_table(kModels / (name + ".csv"));
  std::vector<CellKind> kinds(file->columns().size(), CellKind::kNumber);
  if (!model.regression()) kinds[0] = CellKind::kText;
  file->want(kinds);
  TableChunk expected;
  ASSERT_TRUE(file->next(expected, 100));
  ASSERT_EQ(expected.rows, chunk.rows);
  RowMat<double> values(chunk.rows, expected.number.cols());
  if (model.regression()) {
    const double z = interval_width(0.95);
    values << p.mean, p.sd, p.mean - z * p.sd, p.mean + z * p.sd, p.var;
  } else {
    values << p.probability, p.entropy, p.mean, p.var;
    for (Index i = 0; i < chunk.rows; ++i) {
      const auto row = static_cast<std::size_t>(i);
      EXPECT_EQ(model.classes()[static_cast<std::size_t>(p.label[row])], expected.text[0][row]);
    }
  }
  // Other processors and compilers may round differently.
  EXPECT_LT((values - expected.number).cwiseAbs().maxCoeff(),
            1e-6 * expected.number.cwiseAbs().maxCoeff());
}

INSTANTIATE_TEST_SUITE_P(ModelFormat, Sample,
                         testing::Values("classifier-1", "regression-1", "var-gp-1"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace vargp
