// Dtypes of results: the values that PyTorch gives.
#include "fixture.h"

namespace tn::test {
namespace {

using Promotion = Dispatch;

Tensor of(DType dtype, std::initializer_list<int64_t> sizes) {
  tn_meta meta{};
  meta.device = Device("fakemeta");
  meta.dtype = static_cast<uint16_t>(dtype);
  for (int64_t s : sizes) meta.sizes[meta.ndim++] = s;
  tn_tensor* t = nullptr;
  check(api->tensor_empty(&meta, &t));
  return Tensor::own(t);
}
DType result(const Operand& a, const Operand& b) {
  return op("fake.axpy").call<Tensor>(a, b).dtype();
}

TEST_F(Promotion, tensors_widen_within_and_across_categories) {
  EXPECT_EQ(result(of(TN_BOOL, {1}), of(TN_I8, {1})), TN_I8);
  EXPECT_EQ(result(of(TN_U8, {1}), of(TN_I8, {1})), TN_I16);
  EXPECT_EQ(result(of(TN_U8, {1}), of(TN_I32, {1})), TN_I32);
  EXPECT_EQ(result(of(TN_I64, {1}), of(TN_F16, {1})), TN_F16);
  EXPECT_EQ(result(of(TN_F16, {1}), of(TN_BF16, {1})), TN_F32);
  EXPECT_EQ(result(of(TN_BF16, {1}), of(TN_F64, {1})), TN_F64);
  EXPECT_EQ(result(of(TN_C64, {1}), of(TN_F64, {1})), TN_C128);
  EXPECT_EQ(result(of(TN_C64, {1}), of(TN_F32, {1})), TN_C64);
}

TEST_F(Promotion, zero_dim_tensors_count_only_by_category) {
  EXPECT_EQ(result(of(TN_F32, {1}), of(TN_F64, {})), TN_F32);
  EXPECT_EQ(result(of(TN_I32, {1}), of(TN_F64, {})), TN_F64);
  EXPECT_EQ(result(of(TN_I8, {1}), of(TN_I64, {})), TN_I8);
  EXPECT_EQ(result(of(TN_BOOL, {1}), of(TN_I64, {})), TN_I64);
  EXPECT_EQ(result(of(TN_F32, {}), of(TN_F64, {})), TN_F64);
  EXPECT_EQ(result(of(TN_F16, {1}), of(TN_C64, {})), TN_C64);
}

TEST_F(Promotion, numbers_count_only_by_category) {
  EXPECT_EQ(result(of(TN_F16, {1}), 2.5), TN_F16);
  EXPECT_EQ(result(of(TN_I8, {1}), 3), TN_I8);
  EXPECT_EQ(result(of(TN_I8, {1}), 2.5), TN_F32) << "the default float dtype";
  EXPECT_EQ(result(of(TN_BOOL, {1}), 3), TN_I64);
  EXPECT_EQ(result(of(TN_BOOL, {1}), true), TN_BOOL);
  EXPECT_EQ(result(of(TN_I32, {}), 2.5), TN_F32);
}

TEST_F(Promotion, the_default_float_dtype_is_the_threads) {
  tn_thread_state state, previous;
  api->thread_state_get(&state);
  state.default_dtype = TN_F64;
  api->thread_state_set(&state, &previous);
  EXPECT_EQ(result(of(TN_I8, {1}), 2.5), TN_F64);
  api->thread_state_set(&previous, nullptr);
}

TEST_F(Promotion, comparisons_are_bool_whatever_they_compare) {
  Tensor y = op("fake.less").call<Tensor>(f32({3}), Operand(1));
  EXPECT_EQ(y.dtype(), TN_BOOL);
  EXPECT_EQ(y.to_vector<uint8_t>(), (std::vector<uint8_t>{1, 0, 0}));
  EXPECT_EQ(control().plan.compute_dtype, TN_F32);
}

TEST_F(Promotion, sums_of_integers_are_i64) {
  Tensor y = op("fake.sum").call<Tensor>(arange<int32_t>({4}, TN_I32, 1));
  EXPECT_EQ(y.dtype(), TN_I64);
  EXPECT_EQ(y.item<int64_t>(), 10);
}

TEST_F(Promotion, a_dtype_argument_decides) {
  Tensor y = op("fake.sum").call<Tensor>(f32({4}, 1), std::nullopt, false, TN_F64);
  EXPECT_EQ(y.dtype(), TN_F64);
}

TEST_F(Promotion, dtypes_that_only_convert_have_no_common_one) {
  error_of([] { result(of(TN_U16, {1}), of(TN_F32, {1})); }, TN_TYPE_ERROR);
  EXPECT_EQ(api->dtype_promote(TN_U32, TN_U32), TN_U32);
  EXPECT_EQ(api->dtype_promote(TN_F8E4M3, TN_F16), TN_DTYPE_NONE);
}

TEST_F(Promotion, a_number_that_the_dtype_cannot_hold_is_an_error) {
  error_of(
      [] { op("fake.axpy").call<Tensor>(arange<int32_t>({1}, TN_I32), Operand(int64_t{1} << 40)); },
      TN_INVALID_ARGUMENT);
}

TEST_F(Promotion, a_dtype_without_kernel_is_an_error_that_lists_what_there_is) {
  const std::string text = error_of(
      [] {
        op("fake.axpy").call<Tensor>(arange<uint8_t>({2}, TN_U8), arange<uint8_t>({2}, TN_U8));
      },
      TN_NOT_IMPLEMENTED);
  EXPECT_NE(text.find("i64"), std::string::npos);
  EXPECT_NE(text.find("provider fake"), std::string::npos) << text;
}

}  // namespace
}  // namespace tn::test
