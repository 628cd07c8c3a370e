// Drawing the arguments of a call from libFuzzer's bytes: by the schema's types most of the time,
// so that calls get past the checks, and against them now and then.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <deque>
#include <string>
#include <vector>

#include <tenon/sdk/call.h>

namespace fuzz {

class Draw {
 public:
  Draw(const uint8_t* data, size_t size);
  // Tensors live in `tensors`, all else that values point to in here.
  Draw(const Draw&) = delete;
  Draw& operator=(const Draw&) = delete;

  // True about once in `n` times.
  bool one_in(int n) { return in_.ConsumeIntegralInRange(0, n - 1) == n - 1; }
  size_t index(size_t count) { return in_.ConsumeIntegralInRange<size_t>(0, count - 1); }

  // One value for each argument of the schema, or a few more or fewer.
  std::vector<tn_value> arguments(const tn_schema& schema);
  // What an out form writes.
  tn_value output();

  // Every tensor drawn so far.
  std::vector<tn::Tensor> tensors;

 private:
  tn_value argument(const tn_param& p);
  tn_value single(uint16_t type);
  tn_value list(const tn_param& p);
  tn_value scalar();
  tn_value text();
  tn_value object();
  int64_t integer();
  double real();

  tn::Tensor tensor();
  tn::DType dtype();
  tn::Device device();
  std::vector<int64_t> random_shape(int most_dims);
  std::vector<int64_t> shape();
  tn::Tensor strided(tn::DType dtype, const std::vector<int64_t>& sizes);
  tn::Tensor alias_of(const tn::Tensor& base);

  std::vector<uint8_t> bytes_;
  FuzzedDataProvider in_;
  // Most tensors of a call take after these, as arguments that fit each other do.
  tn::DType usual_dtype_ = TN_F32;
  std::vector<int64_t> usual_shape_;

  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<double>> floats_;
  std::deque<std::vector<uint8_t>> bools_;
  std::deque<std::vector<tn_tensor*>> lists_;
  std::deque<std::string> texts_;
};

}  // namespace fuzz
