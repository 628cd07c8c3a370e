/* A plugin in plain C that uses every function that only an entry may call. */
#include <string.h>
#include <tenon/host.h>

/* The table of the interface, and how often the plugin was told of a fork. */
static struct { int answer, before, after; } answer = {42, 0, 0};

static void before_fork(void) {
  ++answer.before;
}
static void after_fork(void) {
  ++answer.after;
}

static tn_status negate(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs,
                        tn_value* rets, uint32_t nrets) {
  (void)state, (void)nargs, (void)nrets;
  const tn_tensor* x = args[0].u.tensor;
  float* y = rets[0].u.tensor->dl.data;
  float* copy = frame->host->scratch(frame, (size_t)x->numel * sizeof(float));
  if (!copy) return frame->host->status_out_of_memory();
  memcpy(copy, x->dl.data, (size_t)x->numel * sizeof(float));
  for (int64_t i = 0; i < x->numel; ++i) y[i] = -copy[i];
  return NULL;
}

static tn_status infer(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs,
                       tn_meta* rets, uint32_t nrets) {
  (void)frame, (void)state, (void)nargs, (void)nrets;
  const tn_tensor* x = args[0].u.tensor;
  rets[0].dtype = x->dtype;
  rets[0].ndim = x->dl.ndim;
  for (int32_t d = 0; d < x->dl.ndim; ++d) rets[0].sizes[d] = x->dl.shape[d];
  return NULL;
}

static tn_status layer(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs,
                       tn_value* rets, uint32_t nrets) {
  (void)state;
  return frame->host->next(frame, args, nargs, rets, nrets);
}

/* Goes on with its own view of the argument, which carries no layer. */
static tn_status unwrap(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs,
                        tn_value* rets, uint32_t nrets) {
  (void)state;
  tn_value bare = args[0];
  tn_status status = frame->host->tensor_shallow(args[0].u.tensor, &bare.u.tensor);
  if (status) return status;
  status = frame->host->redispatch(frame, &bare, nargs, rets, nrets);
  frame->host->tensor_release(bare.u.tensor);
  return status;
}

static tn_status one(void* state, int32_t* count) {
  (void)state;
  *count = 1;
  return NULL;
}
static const tn_device_vtable device = {.size = sizeof(tn_device_vtable),
                                        .flags = TN_DEVICE_NO_DATA,
                                        .name = "abi_device",
                                        .count = one};

#define TRY(call)                      \
  do {                                 \
    tn_status try_status = call;       \
    if (try_status) return try_status; \
  } while (0)

static tn_status register_operator(const tn_host* host, tn_plugin* plugin, const char* schema,
                                   const char* name) {
  tn_op_desc op = TN_INIT(tn_op_desc);
  op.schema = schema;
  op.doc = "Changes the sign.";
  op.kind = TN_KIND_STRUCTURED;
  op.infer = infer;
  TRY(host->register_op(plugin, &op));
  tn_kernel_desc kernel = TN_INIT(tn_kernel_desc);
  kernel.op = name;
  kernel.device = "cpu";
  kernel.fn = negate;
  kernel.caps.size = sizeof(tn_caps);
  kernel.caps.flags = TN_CAP_CONTIGUOUS;
  kernel.caps.dtypes = TN_DTYPE_BIT(TN_F32);
  return host->register_kernel(plugin, &kernel);
}

TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  if (!strcmp(plugin->name, "abi_role")) {
    TRY(register_operator(host, plugin, "abi_role::negate(Tensor x) -> Tensor",
                          "abi_role::negate"));
    return host->register_role(plugin, "fill", "abi_role::negate");
  }
  tn_value level;
  TRY(host->plugin_config(plugin, "level", &level));
  if (level.tag != TN_TAG_INT || level.u.i != 3)
    return host->status_make(TN_INTERNAL, NULL, 0, "", 0,
                             "the manifest's default of level did not arrive");
  TRY(register_operator(host, plugin, "abi::negate(Tensor x) -> Tensor", "abi::negate"));
  uint64_t bit = 0;
  TRY(host->register_layer(plugin, "abi_layer", &bit));
  TRY(host->register_fallback(plugin, "abi_layer", layer, NULL));
  tn_kernel_desc own = TN_INIT(tn_kernel_desc);
  own.op = "abi::negate";
  own.layer = "abi_layer";
  own.fn = unwrap;
  own.caps.size = sizeof(tn_caps);
  TRY(host->register_kernel(plugin, &own));
  TRY(host->register_attribute(plugin, "abi::negate", "abi.fact", NULL, 1, &answer));
  TRY(host->register_device(plugin, &device));
  const tn_fork_handlers handlers = {before_fork, after_fork, after_fork};
  TRY(host->register_fork_handlers(plugin, &handlers));
  TRY(host->register_fork_handlers(plugin, &handlers)); /* counts once */
  return host->register_interface(plugin, "abi.test", 1, &answer);
}
