// The tensors among a call's values, also those in lists.
#pragma once

#include <tenon/tensor.h>

namespace tenon {

// Calls f(tensor, index of its value) for one after the other; false as soon as f says so.
template <class F>
bool all_tensors(const tn_value* values, uint32_t count, F&& f) {
  for (uint32_t i = 0; i < count; ++i) {
    if (values[i].tag == TN_TAG_TENSOR && !f(values[i].u.tensor, i)) return false;
    if (values[i].tag == TN_TAG_TENSORS)
      for (uint32_t k = 0; k < values[i].len; ++k)
        if (values[i].u.tensors[k] && !f(values[i].u.tensors[k], i)) return false;
  }
  return true;
}

template <class F>
void each_tensor(const tn_value* values, uint32_t count, F&& f) {
  all_tensors(values, count, [&](tn_tensor* t, uint32_t i) { return f(t, i), true; });
}

}  // namespace tenon
