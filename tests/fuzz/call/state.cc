#include "state.h"

#include <string_view>

namespace fuzz {
namespace {

std::string_view bytes_of(const tn::Tensor& t) {
  const auto* data = static_cast<const char*>(tn::api->storage_data(t.get()->storage));
  return data ? std::string_view(data, tn::api->storage_nbytes(t.get()->storage))
              : std::string_view();
}

}  // namespace

State::State(const std::vector<tn::Tensor>& tensors) {
  for (const tn::Tensor& t : tensors)
    seen_.push_back(
        {t, t.sizes().vector(), t.strides().vector(), t.dtype(), std::string(bytes_of(t))});
}

const tn::Tensor* State::changed() const {
  for (const Seen& s : seen_) {
    const bool same =
        s.tensor.sizes() == tn::Ints(s.sizes) && s.tensor.strides() == tn::Ints(s.strides) &&
        s.tensor.dtype() == s.dtype &&
        bytes_of(s.tensor).compare(0, s.bytes.size(), s.bytes) == 0;  // memory may have grown
    if (!same) return &s.tensor;
  }
  return nullptr;
}

}  // namespace fuzz
