// On a device without data: shapes and dtypes alone, and nothing is moved there to get them.
#include "operators.h"

namespace {
const tn::Device& meta() {
  static const tn::Device device("meta");
  return device;
}
}  // namespace

TEST(Meta, FactoriesAndConversions) {
  tn::Tensor x = counting({2, 3});
  EXPECT_EQ(tn::zeros({2}, TN_F32, meta()).device(), meta());
  EXPECT_EQ(tn::zeros_like(x, TN_F64, meta()).dtype(), TN_F64);
  EXPECT_EQ(tn::new_ones(x, {4}, std::nullopt, meta()).device(), meta());
  EXPECT_EQ(tn::to(x, meta(), TN_F32).device(), meta());
  EXPECT_EQ(tn::arange(0, 7, 2, std::nullopt, meta()).numel(), 4);
  EXPECT_EQ(tn::randperm(5, std::nullopt, meta()).dtype(), TN_I64);
}

TEST(Meta, OperatorsInferWithoutData) {
  tn::Tensor x = tn::empty({2, 3}, TN_F32, meta()), at = tn::empty({2, 2}, TN_I64, meta());
  EXPECT_THAT(shape(tn::t(x)), ElementsAre(3, 2));
  EXPECT_THAT(shape(tn::reshape(tn::t(x), {6})), ElementsAre(6));
  EXPECT_THAT(shape(tn::cat({x, x}, 1)), ElementsAre(2, 6));
  EXPECT_THAT(shape(tn::gather(x, 1, at)), ElementsAre(2, 2));
  EXPECT_THAT(shape(tn::index_select(x, 1, tn::empty({5}, TN_I64, meta()))), ElementsAre(2, 5));
  EXPECT_THAT(shape(tn::tril(x)), ElementsAre(2, 3));
  EXPECT_THAT(shape(tn::repeat(x, {2, 1, 2})), ElementsAre(2, 2, 6));
  expect_error(TN_INVALID_ARGUMENT, "ranks must agree",
               [&] { tn::gather(x, 1, tn::empty({2}, TN_I64, meta())); });
}

TEST(Meta, ValuesDoNotExist) {
  EXPECT_ANY_THROW(tn::item(tn::empty({1}, TN_F32, meta())));
  EXPECT_ANY_THROW(tn::to(tn::empty({1}, TN_F32, meta()), "cpu", TN_F32));
}

TEST(Meta, IsNoDeviceOfDlpack) {
  void* managed = nullptr;
  expect_error(TN_NOT_IMPLEMENTED, "DLPack has no number for", [&] {
    tn::check(tn::api->tensor_to_dlpack(tn::empty({1}, TN_F32, meta()).get(), &managed));
  });
  EXPECT_EQ(managed, nullptr);
}

TEST(Devices, MayNotBeMixed) {
  tn::Tensor x = counting({2}), y = tn::empty({2}, TN_F32, meta());
  expect_error(TN_RUNTIME_ERROR, "one device", [&] { tn::cat({x, y}); });
  expect_error(TN_RUNTIME_ERROR, "one device", [&] { x + y; });
}
