// fill_ and zero_.
#include <tenon/ops/fill.h>

#include <algorithm>
#include <cstring>

#include "convert.h"
#include "kernels.h"
#include "number.h"
#include "parallel.h"
#include "vector_type.h"

namespace tn::cpu {
namespace {

void fill_plan(const tn_plan& plan, const char* element) {
  const tn_plan_operand& o = plan.operands[0];
  const tn_dtype dtype = static_cast<tn_dtype>(o.dtype);
  const int64_t size = o.element_size;
  const ConvertFn spread = convert_function(dtype, dtype);
  char* const data = static_cast<char*>(o.data);
  if (plan.numel == 0) return;
  if (plan.ndim == 0) return spread(data, size, element, 0, 1);
  const int64_t length = plan.shape[0], rows = plan.numel / length, stride = o.strides[0];
  const bool zero = std::all_of(element, element + size, [](char c) { return c == 0; });
  const auto fill_row = [&](char* row, int64_t begin, int64_t end) {
    if (zero && stride == size)
      std::memset(row + begin * size, 0, static_cast<size_t>((end - begin) * size));
    else
      spread(row + begin * stride, stride, element, 0, end - begin);
  };
  if (rows == 1)
    return parallel_for(length, kGrain, kVectorBytes,
                        [&](int64_t begin, int64_t end) { fill_row(data, begin, end); });
  parallel_for(rows, std::max<int64_t>(1, kGrain / length), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t offset = 0, rest = row;
      for (int d = 1; d < plan.ndim; ++d) {
        offset += rest % plan.shape[d] * o.strides[d];
        rest /= plan.shape[d];
      }
      fill_row(data + offset, 0, length);
    }
  });
}

tn_status fill_kernel(tn_frame* frame, void*, const tn_value* args, uint32_t, tn_value*,
                      uint32_t) noexcept {
  return guard([&] {
    const tn_plan& plan = *frame->plan;
    alignas(16) char element[16];
    store_number(element, static_cast<DType>(plan.operands[0].dtype), args[1]);
    fill_plan(plan, element);
  });
}
tn_status zero_kernel(tn_frame* frame, void*, const tn_value*, uint32_t, tn_value*,
                      uint32_t) noexcept {
  const char element[16] = {};
  fill_plan(*frame->plan, element);
  return nullptr;
}

}  // namespace

void register_fill(tn_plugin* plugin) {
  tn_kernel_desc desc = TN_INIT(tn_kernel_desc);
  desc.op = "fill_.Scalar";
  desc.device = "cpu";
  desc.fn = fill_kernel;
  desc.caps = TN_INIT(tn_caps);
  desc.caps.flags = TN_CAP_PLAN | TN_CAP_ALIAS_SAFE | TN_CAP_DETERMINISTIC;
  desc.caps.dtypes = ops::Fill::dtypes;
  check(api->register_kernel(plugin, &desc));
  desc.op = "zero_";
  desc.fn = zero_kernel;
  check(api->register_kernel(plugin, &desc));
}

}  // namespace tn::cpu
