// call.h - a call that is described and never made: its tensors have sizes and no memory.
#pragma once
#include <array>
#include <complex>
#include <deque>
#include <string>
#include <vector>

#include <tenon/sdk/tensor.h>

#include "argument.h"

namespace command {

class Call {
 public:
  // Binds arguments to an operator's schema. With `grad` every float tensor requires gradients.
  // Throws Error when they do not fit.
  Call(const tn_op* op, const std::vector<Argument>& arguments, bool grad);
  Call(const Call&) = delete;  // values point into the call
  Call& operator=(const Call&) = delete;

  const tn_op* op() const { return op_; }
  const std::vector<tn_value>& values() const { return values_; }

 private:
  tn_value value_of(const Literal& literal, const tn_param& param);
  tn_value value_of(const Word& word, const tn_param& param);
  tn_value value_of(const List& list, const tn_param& param);
  tn_value value_of(const TensorForm& form);
  template <class T>
  const T* keep(std::deque<std::vector<T>>& where, std::vector<T> items) {
    return where.emplace_back(std::move(items)).data();
  }

  const tn_op* op_;
  bool grad_;
  std::vector<tn_value> values_;
  // What values point to.
  std::deque<tn::Tensor> tensors_;
  std::deque<std::string> strings_;
  std::deque<std::vector<std::int64_t>> ints_;
  std::deque<std::vector<double>> floats_;
  std::deque<std::vector<std::uint8_t>> bools_;
  std::deque<std::vector<tn_tensor*>> lists_;
};

}  // namespace command
