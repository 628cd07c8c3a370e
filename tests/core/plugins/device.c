/* Provides a device without data and two operators of its own namespace: one that is composed, and
 * one that layers see. */
#include <tenon/host.h>

TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin);

static tn_status count(void* state, int32_t* out) {
  (void)state;
  *out = 2;
  return NULL;
}

static tn_status answer(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs,
                        tn_value* rets, uint32_t nrets) {
  (void)frame;
  (void)args;
  (void)nargs;
  (void)nrets;
  rets[0].tag = TN_TAG_INT;
  rets[0].u.i = state ? 2 : 1;
  return NULL;
}

tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  static tn_device_vtable device = TN_INIT(tn_device_vtable);
  device.flags = TN_DEVICE_NO_DATA;
  device.name = "test_device";
  device.count = count;
  tn_op_desc op = TN_INIT(tn_op_desc);
  op.schema = "test::one() -> int";
  op.kind = TN_KIND_COMPOSITE;
  op.device_rule = TN_DEVICE_ANY;
  op.flags = TN_OP_NO_OUT | TN_OP_NOT_DIFFERENTIABLE;
  op.decomposition = answer;
  tn_status status = host->register_device(plugin, &device);
  if (status == NULL) status = host->register_op(plugin, &op);
  op.schema = "test::two() -> int";
  op.kind = TN_KIND_DIRECT;
  op.decomposition = NULL;
  tn_kernel_desc kernel = TN_INIT(tn_kernel_desc);
  kernel.op = "test::two";
  kernel.device = TN_ANY_DEVICE;
  kernel.fn = answer;
  kernel.state = &device; /* null in a decomposition */
  kernel.caps.size = sizeof kernel.caps;
  if (status == NULL) status = host->register_op(plugin, &op);
  if (status == NULL) status = host->register_kernel(plugin, &kernel);
  return status;
}
