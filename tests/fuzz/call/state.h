// What a call may not change: the form and the bytes of the tensors that went in.
#pragma once

#include <string>
#include <vector>

#include <tenon/sdk/tensor.h>

namespace fuzz {

class State {
 public:
  explicit State(const std::vector<tn::Tensor>& tensors);
  // The first tensor that has changed since; null when none has.
  const tn::Tensor* changed() const;

 private:
  struct Seen {
    tn::Tensor tensor;
    std::vector<int64_t> sizes, strides;
    tn::DType dtype;
    std::string bytes;  // of the whole storage
  };
  std::vector<Seen> seen_;
};

}  // namespace fuzz
