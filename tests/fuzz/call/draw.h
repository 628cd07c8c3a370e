// Drawing the arguments of a call from libFuzzer's bytes. One half of all calls is careful: made of
// what fits the schema and the other arguments, so that kernels run. In the other anything may turn
// up, now and then against the schema.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <deque>
#include <string>
#include <string_view>
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
  // True about once in `n` times of a call that is not careful.
  bool misfit(int n) { return !careful_ && one_in(n); }

  tn_value argument(const tn_param& p);
  tn_value single(const tn_param& p);
  tn_value list(const tn_param& p);
  tn_value scalar();
  tn_value text();
  tn_value object();
  int64_t integer();
  int64_t extreme();
  int64_t fitting_integer(std::string_view name);
  std::vector<int64_t> integers(const tn_param& p, size_t count);
  double real();

  tn::Tensor tensor(std::string_view name);
  tn::DType dtype();
  tn::Device device();
  std::vector<int64_t> random_shape(int most_dims);
  std::vector<int64_t> shape();
  std::vector<int64_t> vector_shape();
  // Of one of the first `choices` values of its kind; 0 draws that too.
  tn::Tensor strided(tn::DType dtype, const std::vector<int64_t>& sizes, size_t choices = 0);
  tn::Tensor alias_of(const tn::Tensor& base);

  std::vector<uint8_t> bytes_;
  FuzzedDataProvider in_;
  bool careful_ = false;
  // Most tensors of a call take after these, as arguments that fit each other do.
  tn::DType usual_dtype_ = TN_F32;
  std::vector<int64_t> usual_shape_;
  size_t usual_count_ = 0;   // of tensors in a list
  size_t usual_length_ = 0;  // of a list of integers, often one for each dimension

  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<double>> floats_;
  std::deque<std::vector<uint8_t>> bools_;
  std::deque<std::vector<tn_tensor*>> lists_;
  std::deque<std::string> texts_;
};

}  // namespace fuzz
