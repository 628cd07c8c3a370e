// Registers something of each kind, for an operator of its own and for one of others.
#include <tenon/sdk/entry.h>

namespace {

tn_status same(tn_frame* frame, void*, const tn_value* args, uint32_t, tn_value* rets, uint32_t) {
  rets[0] = {TN_TAG_TENSOR, 0, 0, {}};
  return frame->host->tensor_shallow(args[0].u.tensor, &rets[0].u.tensor);
}

tn_status refuse(tn_frame* frame, void*, const tn_value*, uint32_t, tn_value*, uint32_t) {
  return frame->host->status_make(TN_RUNTIME_ERROR, nullptr, 0, __FILE__, __LINE__,
                                  "the late layer ran");
}

void register_all(tn_plugin* plugin) {
  uint64_t bit = 0;
  tn::check(tn::api->register_layer(plugin, "faults_late", &bit));
  tn_op_desc own = TN_INIT(tn_op_desc);
  own.schema = "faults_late::same(Tensor self) -> Tensor";
  own.doc = "The tensor itself, in other words.";
  own.kind = TN_KIND_COMPOSITE;
  own.decomposition = same;
  tn::check(tn::api->register_op(plugin, &own));
  tn_kernel_desc kernel = TN_INIT(tn_kernel_desc);
  kernel.op = "exp";
  kernel.layer = "faults_late";
  kernel.fn = refuse;
  kernel.caps = TN_INIT(tn_caps);
  tn::check(tn::api->register_kernel(plugin, &kernel));
  static const int mark = 0;
  for (const char* op : {"faults_late::same", "exp"})
    tn::check(tn::api->register_attribute(plugin, op, "faults_late.mark", nullptr, 1, &mark));
}

}  // namespace

extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn::plugin_entry(host, [&] { register_all(plugin); });
}
