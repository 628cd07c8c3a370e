#include "reduce_kernel.h"

#include <string>

#include <tenon/sdk/declare.h>

#include "reduce_driver.h"

namespace tn::cpu {

tn_status reduce_kernel(tn_frame* frame, void* state, const tn_value* args, uint32_t, tn_value*,
                        uint32_t) noexcept {
  const ReduceKernel& k = *static_cast<const ReduceKernel*>(state);
  const tn_plan& plan = *frame->plan;
  return guard([&] {
    double correction = 1;
    if (k.correction >= 0 && args[k.correction].tag != TN_TAG_NONE)
      correction = Scalar(args[k.correction]).real();
    ReduceDriver(plan, k.loops[plan.compute_dtype], correction).go();
  });
}

void register_reduction(tn_plugin* plugin, const char* schema, uint64_t dtypes,
                        const ReduceKernel* kernel) {
  const std::string name = ops::detail::full_name(schema);
  tn_kernel_desc desc = TN_INIT(tn_kernel_desc);
  desc.op = name.c_str();
  desc.device = "cpu";
  desc.fn = reduce_kernel;
  desc.state = const_cast<ReduceKernel*>(kernel);
  desc.caps = TN_INIT(tn_caps);
  desc.caps.flags = TN_CAP_PLAN | TN_CAP_DETERMINISTIC;
  desc.caps.dtypes = dtypes;
  check(api->register_kernel(plugin, &desc));
}

}  // namespace tn::cpu
