/* Provides a device without data and an operator of its own namespace. */
#include <tenon/host.h>

TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin);

static tn_status count(void* state, int32_t* out) {
  (void)state;
  *out = 2;
  return NULL;
}

static tn_status decompose(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs,
                           tn_value* rets, uint32_t nrets) {
  (void)frame;
  (void)state;
  (void)args;
  (void)nargs;
  (void)nrets;
  rets[0].tag = TN_TAG_INT;
  rets[0].u.i = 1;
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
  op.decomposition = decompose;
  tn_status status = host->register_device(plugin, &device);
  if (status == NULL) status = host->register_op(plugin, &op);
  return status;
}
