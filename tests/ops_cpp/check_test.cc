// What an operator has against its arguments does not hang on a kernel: the error is the same for
// tensors without elements and on a device without data.
#include <cmath>
#include <complex>
#include <functional>
#include <tuple>

#include "operators.h"

namespace {

using tn::Tensor;

// Makes zeros of a dtype, as many and where the case says.
using Make = std::function<Tensor(tn::DType)>;

struct WrongCall {
  const char* name;
  tn_code code;
  const char* says;
  void (*call)(const Make& make);
};

const WrongCall kWrongCalls[] = {
    {"add_of_a_part", TN_INVALID_ARGUMENT, "alpha must be an integer",
     [](const Make& make) { tn::add(make(TN_I64), make(TN_I64), 0.5); }},
    {"add_of_bools", TN_INVALID_ARGUMENT, "alpha must be an integer",
     [](const Make& make) { tn::add(make(TN_BOOL), make(TN_BOOL), 0.5); }},
    {"add_beyond_the_dtype", TN_INVALID_ARGUMENT, "300 does not fit into u8",
     [](const Make& make) { tn::add(make(TN_U8), make(TN_U8), 300); }},
    {"add_of_a_complex_factor", TN_TYPE_ERROR, "0+1j cannot be converted to f32",
     [](const Make& make) { tn::add(make(TN_F32), make(TN_F32), std::complex<double>(0, 1)); }},
    {"add_of_a_number", TN_INVALID_ARGUMENT, "300 does not fit into u8",
     [](const Make& make) { tn::add(make(TN_U8), 300); }},
    {"addcmul", TN_INVALID_ARGUMENT, "value must be an integer",
     [](const Make& make) { tn::addcmul(make(TN_I32), make(TN_I32), make(TN_I32), 0.5); }},
    {"polygamma_below_0", TN_INVALID_ARGUMENT, "0 to 2^31 - 1, not -1",
     [](const Make& make) { tn::polygamma(-1, make(TN_F32)); }},
    {"polygamma_of_the_largest", TN_INVALID_ARGUMENT, "0 to 2^31 - 1",
     [](const Make& make) { tn::polygamma(INT64_MAX, make(TN_F32)); }},
    {"pow", TN_INVALID_ARGUMENT, "negative integer powers",
     [](const Make& make) { tn::pow(make(TN_I32), -1); }},
    {"hardtanh", TN_INVALID_ARGUMENT, "min_val must be an integer",
     [](const Make& make) { tn::hardtanh(make(TN_I32), 0.5); }},
    {"gelu", TN_INVALID_ARGUMENT, "a mode of 'fast'; it must be one of 'none', 'tanh'",
     [](const Make& make) { tn::gelu(make(TN_F32), "fast"); }},
    {"masked_fill", TN_TYPE_ERROR, "mask must be a bool tensor",
     [](const Make& make) { tn::masked_fill(make(TN_F32), make(TN_F32), 1); }},
    {"masked_fill_beyond_the_dtype", TN_INVALID_ARGUMENT, "300 does not fit into u8",
     [](const Make& make) { tn::masked_fill(make(TN_U8), make(TN_BOOL), 300); }},
    {"fill", TN_INVALID_ARGUMENT, "256 does not fit into u8",
     [](const Make& make) { tn::Operator("fill_").call_inplace(make(TN_U8), 256); }},
    {"fill_with_nan", TN_INVALID_ARGUMENT, "nan does not fit into i16",
     [](const Make& make) { tn::Operator("fill_").call_inplace(make(TN_I16), NAN); }},
    {"scatter", TN_INVALID_ARGUMENT, "300 does not fit into u8",
     [](const Make& make) { tn::scatter(make(TN_U8), 0, make(TN_I64), 300); }},
    {"uniform", TN_INVALID_ARGUMENT, "needs from <= to",
     [](const Make& make) { tn::Operator("uniform_").call_inplace(make(TN_F32), 2.0, 1.0); }},
    {"normal", TN_INVALID_ARGUMENT, "needs std >= 0",
     [](const Make& make) { tn::Operator("normal_").call_inplace(make(TN_F32), 0.0, -1.0); }},
    {"bernoulli", TN_INVALID_ARGUMENT, "needs 0 <= p <= 1",
     [](const Make& make) { tn::Operator("bernoulli_", "float").call_inplace(make(TN_F32), 1.5); }},
};

class Checks : public testing::TestWithParam<std::tuple<const char*, int64_t>> {};

TEST_P(Checks, AreOfTheOperator) {
  const auto [device, length] = GetParam();
  const Make make = [device = device, length = length](tn::DType dtype) {
    return tn::zeros({length}, dtype, device);
  };
  for (const WrongCall& wrong : kWrongCalls) {
    SCOPED_TRACE(wrong.name);
    expect_error(wrong.code, wrong.says, [&] { wrong.call(make); });
  }
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Checks,
                         testing::Combine(testing::Values("cpu", "meta"), testing::Values(0, 1, 3)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

// Nothing to choose from: PyTorch's rule asks for the reduced dimensions alone.
TEST(Checks, AnExtremumNeedsElements) {
  for (const char* device : {"cpu", "meta"}) {
    SCOPED_TRACE(device);
    const Tensor x = tn::zeros({0, 3}, TN_F32, device), none = tn::zeros({0, 0}, TN_F32, device);
    const auto none_to_choose = [](auto&& call) {
      expect_error(TN_INDEX_ERROR, "no elements to choose from", call);
    };
    none_to_choose([&] { tn::amax(x); });
    none_to_choose([&] { tn::amax(x, {0}); });
    none_to_choose([&] { tn::amin(x, {-2, 1}); });
    none_to_choose([&] { tn::amin(none, {1}); });
    none_to_choose([&] { tn::argmax(x); });
    none_to_choose([&] { tn::argmin(x, 0); });
    none_to_choose([&] { tn::argmin(none, -1); });
    EXPECT_EQ(shape(tn::amax(x, {1})), (std::vector<int64_t>{0}));
    EXPECT_EQ(shape(tn::argmax(x, 1, true)), (std::vector<int64_t>{0, 1}));
  }
}

// A refused call has not begun: the output has its old size.
TEST(Checks, ComeBeforeOutputs) {
  Tensor out = tn::empty({0}, TN_U8);
  const Tensor x = tn::zeros({3}, TN_U8), tall = tn::zeros({2, 3}, TN_U8);
  const auto add_out = [&](const Tensor& other, const tn::Scalar& alpha) {
    const tn_op* add = nullptr;
    tn::check(tn::api->op_form(tn::Operator("add", "Tensor").get(), TN_OUT, &add));
    const tn_value args[] = {tn::to_value(x), tn::to_value(other), alpha.value()};
    tn_value rets[] = {tn::to_value(out)};
    tn::check(tn::api->call(add, args, 3, rets, 1));
  };
  for (const Tensor& other : {x, tall})
    expect_error(TN_INVALID_ARGUMENT, "300 does not fit", [&] { add_out(other, 300); });
  EXPECT_EQ(shape(out), (std::vector<int64_t>{0}));
  add_out(tall, -255);  // subtracts: unsigned numbers wrap around
  EXPECT_EQ(shape(out), (std::vector<int64_t>{2, 3}));
  expect_error(TN_INVALID_ARGUMENT, "-256 does not fit", [&] { add_out(x, -256); });
}

}  // namespace
