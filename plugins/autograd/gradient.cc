#include "gradient.h"

#include <string>
#include <vector>

#include "meta.h"
#include "operators.h"

namespace tn::graph {

namespace {

Ints sizes_of(const Shape& shape) {
  return {shape.sizes, static_cast<size_t>(shape.ndim)};
}

std::string text(const Shape& shape) {
  std::string out = std::string(api->dtype_name(static_cast<DType>(shape.dtype))) + "[";
  for (int32_t d = 0; d < shape.ndim; ++d) out += (d ? "," : "") + std::to_string(shape.sizes[d]);
  return out + "]@" + Device(shape.device).name();
}

[[noreturn]] void refuse(const Tensor& grad, const Node& node, uint32_t edge, const char* why) {
  const char* argument = node.type->argument ? node.type->argument(node, edge) : nullptr;
  fail(TN_RUNTIME_ERROR, "the gradient of %s returned %s for %s%s%s, which is %s: %s",
       node.type->name(node), grad.describe().c_str(), argument ? "its argument '" : "its argument",
       argument ? argument : "", argument ? "'" : "", text(node.shapes[edge]).c_str(), why);
}

// Sums over the dimensions that broadcasting `want` to the gradient's shape repeated. False where
// it does not broadcast.
bool sum_to(Tensor& grad, Ints want) {
  const Ints have = grad.sizes();
  if (have.size() < want.size()) return false;
  const size_t leading = have.size() - want.size();
  std::vector<int64_t> dims;
  for (size_t d = 0; d < leading; ++d) dims.push_back(static_cast<int64_t>(d));
  for (size_t d = leading; d < have.size(); ++d) {
    if (have[d] == want[d - leading]) continue;
    if (want[d - leading] != 1) return false;
    dims.push_back(static_cast<int64_t>(d));
  }
  grad = ops::sum(grad, dims, true);
  if (leading) grad = ops::reshape(grad, want);
  return true;
}

}  // namespace

Tensor conform(Tensor grad, const Node& node, uint32_t edge) {
  const Shape& want = node.shapes[edge];
  const tn_tensor* t = grad.get();
  if (t->dl.device.type != want.device.type || t->dl.device.index != want.device.index) {
    if (grad.dim() != 0) refuse(grad, node, edge, "they must be on one device");
    grad = grad.to(Device(want.device));
  }
  if (grad.sizes() != sizes_of(want)) {
    Tensor summed = grad;
    if (!sum_to(summed, sizes_of(want)))
      refuse(grad, node, edge, "it cannot be summed to that shape");
    grad = std::move(summed);
  }
  if (grad.get()->dtype == want.dtype) return grad;
  if (!differentiable(grad.get()->dtype))
    refuse(grad, node, edge, "a gradient is of a float or complex dtype");
  // Casting a complex gradient to a real dtype takes its real part, which is what a real argument
  // of a complex function wants.
  const DType dtype = static_cast<DType>(want.dtype);
  return grad.dtype() == dtype ? grad : ops::cast(grad, dtype);
}

bool unshared(const tn_tensor* tensor) {
  return api->tensor_use_count(tensor) == 1 && tensor->flags & TN_TENSOR_DENSE &&
         !(tensor->flags & TN_TENSOR_VIEW) &&
         (!tensor->storage || api->storage_use_count(tensor->storage) == 1);
}

void accumulate(tn_tensor** slot, Tensor grad, bool recorded) {
  if (!*slot) {
    *slot = grad.release();
    return;
  }
  if (!recorded && unshared(*slot) && (*slot)->dtype == grad.get()->dtype)
    return ops::add_in_place(*slot, grad.get());
  if (!recorded && unshared(grad.get()) && (*slot)->dtype == grad.get()->dtype) {
    ops::add_in_place(grad.get(), *slot);
    const Tensor previous = Tensor::own(std::exchange(*slot, grad.release()));
    return;
  }
  Tensor sum = ops::add(Tensor::share(*slot), grad);
  const Tensor previous = Tensor::own(std::exchange(*slot, sum.release()));
}

}  // namespace tn::graph
