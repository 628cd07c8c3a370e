// A runtime whose only plugin is the fake one, and short ways to make tensors and calls.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include <tenon/sdk/call.h>

#include "fake_control.h"

namespace tn::test {

FakeControl& control();
Device host();

// Row-major, values counted from `first`.
template <class T>
Tensor arange(std::initializer_list<int64_t> sizes, DType dtype, T first = 0,
              Device device = host()) {
  tn_meta meta{};
  meta.device = device;
  meta.dtype = static_cast<uint16_t>(dtype);
  for (int64_t s : sizes) meta.sizes[meta.ndim++] = s;
  tn_tensor* t = nullptr;
  check(api->tensor_empty(&meta, &t));
  Tensor made = Tensor::own(t);
  std::vector<T> values(static_cast<size_t>(made.numel()));
  for (T& v : values) v = first++;
  check(api->tensor_write(t, values.data(), values.size() * sizeof(T)));
  return made;
}
inline Tensor f32(std::initializer_list<int64_t> sizes, float first = 0) {
  return arange<float>(sizes, TN_F32, first);
}

Tensor view(const Tensor& base, std::vector<int64_t> sizes, std::vector<int64_t> strides,
            int64_t offset = 0);
inline Tensor transposed(const Tensor& t) {
  return view(t, {t.size(1), t.size(0)}, {t.stride(1), t.stride(0)}, t.storage_offset());
}

const Operator& op(const char* name);  // "fake.axpy"
Operator form(const char* name, tn_form form);

// The error of a call that must fail; "" when it does not.
template <class F>
std::string error_of(F&& call, tn_code code) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

class Dispatch : public ::testing::Test {
 protected:
  void SetUp() override {
    control() = FakeControl{};
    tensors_ = api->tensor_live_count();
  }
  void TearDown() override { EXPECT_EQ(api->tensor_live_count(), tensors_) << "tensors leaked"; }

 private:
  uint64_t tensors_ = 0;
};

}  // namespace tn::test
