// Calls that fit the ABI and no operator: an error, and nothing has changed.
#include <cmath>

#include "operators.h"

namespace {

tn::Operator form(const char* name, const char* overload, tn_form wanted) {
  const tn_op* found = nullptr;
  tn::check(tn::api->op_form(tn::Operator(name, overload).get(), wanted, &found));
  return tn::Operator(found);
}

}  // namespace

TEST(WrongCalls, TheInPlaceFormWritesNoNumber) {
  expect_error(TN_TYPE_ERROR, "writes argument 1 (self), which is no tensor",
               [] { form("gelu", "", TN_INPLACE).call_inplace(true); });
  expect_error(TN_TYPE_ERROR, "which is no tensor",
               [] { form("add", "Tensor", TN_INPLACE).call_inplace(1, floats({1})); });
}

TEST(WrongCalls, NumbersAloneHaveNoDevice) {
  expect_error(TN_TYPE_ERROR, "no argument is a tensor",
               [] { tn::Operator("tan").call<tn::Tensor>(3); });
  expect_error(TN_TYPE_ERROR, "no argument is a tensor", [] { tn::add(1, 2.5); });
}

TEST(WrongCalls, AnIntegerHas64BitsWithASign) {
  constexpr uint64_t kLargest = INT64_MAX;
  const tn::Tensor x = tn::zeros({1}, TN_I64);
  EXPECT_EQ((x + kLargest).item<int64_t>(), INT64_MAX);
  expect_error(TN_INVALID_ARGUMENT, "9223372036854775808 does not fit into 64 bits with a sign",
               [&] { x + (kLargest + 1); });
  expect_error(TN_INVALID_ARGUMENT, "18446744073709551615 does not fit",
               [&] { tn::full({1}, UINT64_MAX); });
}

TEST(WrongCalls, AListOfTensorsHasNoGaps) {
  expect_error(TN_TYPE_ERROR, "argument 1 (tensors) has no tensor at place 1 of 2", [] {
    tn::hstack({floats({1}), tn::Tensor()});
  });
  expect_error(TN_TYPE_ERROR, "has no tensor at place 0", [] { tn::cat({tn::Tensor()}); });
}

TEST(WrongCalls, AListOfBoolsHasItsLength) {
  const tn::Operator backward("native_batch_norm_backward");
  const tn::Tensor x = counting({2, 3}), per_channel = counting({3}), none;
  const bool mask[] = {true, true, true, true};
  for (const size_t length : {0, 2, 4})
    expect_error(TN_TYPE_ERROR, "(output_mask) is a list of bools", [&] {
      backward.call<std::tuple<tn::Tensor, tn::Tensor, tn::Tensor>>(
          x, x, none, none, none, per_channel, per_channel, true, 1e-5, tn::Bools(mask, length));
    });
}

TEST(WrongCalls, AnEnumeratorExists) {
  const tn::Tensor x = floats({1});
  const auto format = static_cast<tn_memory_format>(3);
  expect_error(TN_INVALID_ARGUMENT, "(memory_format) is 3, which is no MemoryFormat",
               [&] { tn::Operator("clone").call<tn::Tensor>(x, format); });
  tn_value dtype = tn::to_value(TN_F32);
  dtype.u.i = 17;
  const tn_value args[] = {tn::to_value(x), dtype};
  tn_value result{};
  expect_error(TN_INVALID_ARGUMENT, "(dtype) is 17, which is no ScalarType", [&] {
    tn::check(tn::api->call(tn::Operator("to", "dtype").get(), args, 2, &result, 1));
  });
}

TEST(WrongCalls, AnEmptyListMayBeNull) {
  tn::Tensor x = floats({1});
  tn::Operator("resize_").call_inplace(x, tn::Ints(nullptr, 0));
  EXPECT_EQ(shape(x), (std::vector<int64_t>{}));
}

TEST(WrongCalls, AContainerOfMoreThanAnyMemoryHolds) {
  tn_status status = tn::guard([] { std::vector<int64_t>(SIZE_MAX / 2); });
  EXPECT_EQ(tn::api->status_code(status), TN_OUT_OF_MEMORY);
  tn::api->status_release(status);
}

TEST(WrongCalls, AWrittenListMayNotHoldAnExpandedTensor) {
  const tn::Tensor parameter = tn::clone(floats({1, 2})), gradient = floats({1, 1});
  const tn::Tensor momentum = tn::expand(tn::clone(floats({0})), {2});
  expect_error(TN_RUNTIME_ERROR, "elements of the tensor written", [&] {
    tn::Operator("_fused_sgd_")
        .call_inplace(tn::Tensors{parameter}, tn::Tensors{gradient}, tn::Tensors{momentum}, 0.0,
                      0.9, 0.1, 0.0, false, false, false, tn::Tensor(), tn::Tensor());
  });
  EXPECT_EQ(values(parameter), (std::vector<float>{1, 2}));
}

TEST(WrongCalls, AnEmptyTensorMayHaveStridesBeyondAllMemory) {
  const tn::Tensor empty = tn::repeat(floats({1}), std::vector<int64_t>{0, int64_t{1} << 62});
  EXPECT_EQ(tn::sum(empty).item(), 0);
}

TEST(WrongCalls, AnOutputThatWasResizedGetsItsFormBack) {
  tn::Tensor out = ints({7, 8, 9});
  expect_error(TN_RUNTIME_ERROR, "zero", [&] {
    tn::fmod_out(out, tn::view(ints({1, 2, 3, 4}), {2, 2}), ints({1, 0}));
  });
  EXPECT_EQ(shape(out), (std::vector<int64_t>{3}));
  EXPECT_EQ(integers(out), (std::vector<int64_t>{7, 8, 9}));
}

TEST(WrongCalls, AnOutputThatIsAnArgumentIsNotResized) {
  const tn::Tensor x = tn::clone(counting({1, 3}));  // whose memory may grow
  const auto expect_refused = [&](auto&& call) {
    expect_error(TN_INVALID_ARGUMENT, "[1,3], is an argument too", call);
    EXPECT_EQ(shape(x), (std::vector<int64_t>{1, 3}));
    EXPECT_EQ(values(x), (std::vector<float>{0, 1, 2}));
  };
  expect_refused([&] { tn::add_out(x, x, counting({2, 3})); });
  expect_refused([&] { tn::mm_out(x, x, counting({3, 4})); });
  expect_refused([&] { tn::cat_out(x, {x, counting({2, 3})}); });
}

TEST(WrongCalls, OneTensorIsNotTwoOutputs) {
  const tn::Tensor x = counting({2, 3});
  const int64_t last[] = {3};
  const tn_value args[] = {tn::to_value(x), tn::to_value(tn::Ints(last, 1)), tn_value{}, tn_value{},
                           tn::to_value(1e-5)};
  tn::Tensor out = floats({}), mean = floats({});
  tn_value rets[] = {tn::to_value(out), tn::to_value(mean), tn::to_value(out)};
  expect_error(TN_INVALID_ARGUMENT, "out 1 and out 3 are one tensor", [&] {
    tn::check(tn::api->call(form("native_layer_norm", "", TN_OUT).get(), args, 5, rets, 3));
  });
  EXPECT_EQ(shape(out), (std::vector<int64_t>{0}));
}

TEST(WrongCalls, AnOrderOfPolygammaIsANumberOf31Bits) {
  constexpr int64_t kLimit = int64_t{1} << 31;
  for (const int64_t order : {int64_t{-1}, kLimit, INT64_MAX})
    expect_error(TN_INVALID_ARGUMENT, "needs an n of 0 to 2^31 - 1",
                 [&] { tn::polygamma(order, floats({1})); });
  EXPECT_FALSE(std::isfinite(values(tn::polygamma(kLimit - 1, floats({0.5})))[0]));
}

TEST(WrongCalls, AnOutputStaysWhenAnIndexIsRefused) {
  const tn::Tensor self = floats({1, 2}), src = floats({10, 20}), out = floats({7, 8});
  const tn::Tensor good = ints({1, 1}), bad = ints({0, 2});
  expect_error(TN_INDEX_ERROR, "", [&] { tn::scatter_add_out(out, self, 0, bad, src); });
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{7, 8}));
  expect_error(TN_INDEX_ERROR, "", [&] { tn::index_add_out(out, self, 0, bad, src); });
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{7, 8}));
  expect_error(TN_INDEX_ERROR, "", [&] { tn::scatter_add_(self, 0, bad, src); });
  EXPECT_EQ(self.to_vector<float>(), (std::vector<float>{1, 2}));
  tn::scatter_add_out(out, self, 0, good, src);
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{1, 32}));
  tn::scatter_add_out(src, self, 0, good, src);  // also into what is still to be read
  EXPECT_EQ(src.to_vector<float>(), (std::vector<float>{1, 32}));
}
