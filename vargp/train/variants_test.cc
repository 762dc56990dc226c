// What every variant must do as a model: learn several tasks, remember them, and be written and
// read.
#include <gtest/gtest.h>

#include "vargp/core/exceptions.h"
#include "vargp/core/random.h"
#include "vargp/io/state.h"
#include "vargp/kernels/deep.h"
#include "vargp/train/make_model.h"
#include "vargp/train/var_gp.h"

namespace vargp {
namespace {

// Two classes on the left, then two on the right.
TaskData<double> task(Index t) {
  TaskData<double> out;
  const Index N = 40;
  Random random(1, Purpose::kTest, t);
  out.X = 0.3 * random.normals<double>(N, 2);
  out.Y = Mat<double>::Zero(4, N);
  for (Index i = 0; i < N; ++i) {
    out.X(i, 0) += t == 0 ? -2 : 2;
    out.X(i, 1) += i % 2 == 0 ? -1 : 1;
    out.Y(2 * t + i % 2, i) = 1;
  }
  return out;
}

Options options(ModelKind model) {
  Options o;
  o.model = model;
  o.likelihood = LikelihoodKind::kSoftmax;
  o.inducing = 6;
  o.lengthscale = 0.7;
  o.scale = 3;
  o.epochs = 40;
  o.batch = 20;
  o.learn_inducing = true;
  if (model == ModelKind::kMleHypers || model == ModelKind::kGlobalMle)
    o.hyper = HyperTreatment::kPoint;
  if (model == ModelKind::kReVarGp) {
    o.inference = Inference::kGradient;
    o.learning_rate = 0.05;
  }
  if (model == ModelKind::kDeepKernel) {
    o.lengthscale.reset();
    o.learning_rate = 0.002;
  }
  return o;
}

double accuracy(const Model<double>& model, Index t) {
  const TaskData<double> data = task(t);
  const Mat<double> p = model.predict(data.X, true).probability;
  double right = 0;
  for (Index i = 0; i < p.cols(); ++i) {
    Index best = 0;
    p.col(i).maxCoeff(&best);
    right += data.Y(best, i);
  }
  return right / static_cast<double>(p.cols());
}

class Variants : public testing::TestWithParam<ModelKind> {};

TEST_P(Variants, LearnATaskAndAreReadBackWithTheSameBits) {
  const Options o = options(GetParam());
  const auto model = make_model<double>(o, true);
  model->learn(task(0), {});
  EXPECT_GT(accuracy(*model, 0), 0.95);
  model->learn(task(1), {});
  EXPECT_GT(accuracy(*model, 1), 0.8);

  State state;
  StateWriter writer(state);
  model->write(writer);
  const auto copy = make_model<double>(o, true);
  StateReader reader(state);
  copy->read(reader);
  reader.finish();
  const RowMat<double> X = task(1).X;
  EXPECT_EQ(model->predict(X, true).probability, copy->predict(X, true).probability);
  // And both learn on alike.
  model->learn(task(0), {});
  copy->learn(task(0), {});
  EXPECT_EQ(model->predict(X, true).probability, copy->predict(X, true).probability);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Variants,
                         testing::Values(ModelKind::kVarGp, ModelKind::kBlockDiagonal,
                                         ModelKind::kMleHypers, ModelKind::kGlobal,
                                         ModelKind::kGlobalMle, ModelKind::kReVarGp,
                                         ModelKind::kDeepKernel));

TEST(Global, KeepsOneSetOfInducingInputsWithAShareForEveryTask) {
  Options o = options(ModelKind::kGlobal);
  o.learn_inducing = false;
  VarGp<double> model(o, true);
  model.learn(task(0), {});
  model.learn(task(1), {});
  ASSERT_EQ(model.blocks().size(), 1U);
  const Mat<double>& Z = model.blocks()[0].Z[0];
  EXPECT_EQ(Z.rows(), 6);
  EXPECT_EQ((Z.col(0).array() < 0).count(), 3);
}

TEST(BlockDiagonal, RefusesClassesThatComeLater) {
  VarGp<double> model(options(ModelKind::kBlockDiagonal), true);
  TaskData<double> first = task(0);
  first.Y = Mat<double>(first.Y.topRows(2));
  model.learn(first, {});
  EXPECT_THROW(model.learn(task(1), {}), Error);
}

TEST(DeepKernel, APenaltyHoldsTheFeaturesAtOldInducingInputs) {
  const auto drift = [](double penalty) {
    Options o = options(ModelKind::kDeepKernel);
    o.learn_inducing = false;
    o.phi_penalty = penalty;
    VarGp<double> model(o, true);
    model.learn(task(0), {});
    const Mat<double> Z = model.blocks().front().Z[0];
    const Mat<double> before = features(model.carried().phi, Z);
    model.learn(task(1), {});
    return (features(model.carried().phi, Z) - before).norm();
  };
  EXPECT_LT(drift(1000), 0.2 * drift(0));
}

}  // namespace
}  // namespace vargp
