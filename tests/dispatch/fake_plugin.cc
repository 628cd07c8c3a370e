// Operators, devices and layers made for tests of the core: nothing here computes anything of use.
#include "fake_plugin.h"

#include <cstdlib>
#include <cstring>

namespace fake {

FakeControl control;

void leave_trace(const char* name) {
  if (control.trail[0])
    std::strncat(control.trail, " ", sizeof control.trail - std::strlen(control.trail) - 1);
  std::strncat(control.trail, name, sizeof control.trail - std::strlen(control.trail) - 1);
}

namespace {

void remember(const tn_plan& plan) {
  FakePlan& p = control.plan;
  p = {};
  p.ndim = plan.ndim;
  p.flags = plan.flags;
  p.numel = plan.numel;
  p.reduced = plan.reduced;
  p.reduced_numel = plan.reduced_numel;
  p.compute_dtype = plan.compute_dtype;
  p.noperands = plan.noperands;
  for (int d = 0; d < plan.ndim && d < 8; ++d) {
    p.shape[d] = plan.shape[d];
    for (int i = 0; i < plan.noperands; ++i) p.strides[i][d] = plan.operands[i].strides[d];
  }
}

double load(const tn_plan_operand& o, const char* at) {
  switch (o.dtype) {
    case TN_F32:
      return *reinterpret_cast<const float*>(at);
    case TN_F64:
      return *reinterpret_cast<const double*>(at);
    case TN_I32:
      return *reinterpret_cast<const int32_t*>(at);
    case TN_I64:
      return static_cast<double>(*reinterpret_cast<const int64_t*>(at));
    default:
      return *reinterpret_cast<const uint8_t*>(at);
  }
}
void store(const tn_plan_operand& o, char* at, double v) {
  switch (o.dtype) {
    case TN_F32:
      *reinterpret_cast<float*>(at) = static_cast<float>(v);
      break;
    case TN_F64:
      *reinterpret_cast<double*>(at) = v;
      break;
    case TN_I32:
      *reinterpret_cast<int32_t*>(at) = static_cast<int32_t>(v);
      break;
    case TN_I64:
      *reinterpret_cast<int64_t*>(at) = static_cast<int64_t>(v);
      break;
    default:
      *reinterpret_cast<uint8_t*>(at) = static_cast<uint8_t>(v);
      break;
  }
}

// Visits every element of a plan: f(pointer per operand).
template <class F>
void walk(const tn_plan& plan, F f) {
  int64_t index[TN_MAX_DIMS] = {};
  for (int64_t n = 0; n < plan.numel; ++n) {
    char* at[TN_PLAN_MAX_OPERANDS];
    for (int i = 0; i < plan.noperands; ++i) {
      at[i] = static_cast<char*>(plan.operands[i].data);
      for (int d = 0; d < plan.ndim; ++d) at[i] += index[d] * plan.operands[i].strides[d];
    }
    f(at);
    for (int d = 0; d < plan.ndim && ++index[d] == plan.shape[d]; ++d) index[d] = 0;
  }
}

}  // namespace

tn_status begin(tn_frame* frame, const char* provider) {
  control.last_provider = provider;
  ++control.kernel_calls;
  leave_trace("kernel");
  if (control.fail_kernel)
    return frame->host->status_make(TN_RUNTIME_ERROR, "fake", 7, "", 0, "told to fail");
  if (frame->plan) remember(*frame->plan);
  return nullptr;
}

tn_status same_infer(tn_frame*, void*, const tn_value* args, uint32_t, tn_meta* out, uint32_t) {
  const tn_tensor* x = args[0].u.tensor;
  out->dtype = x->dtype;
  out->ndim = x->dl.ndim;
  std::memcpy(out->sizes, x->dl.shape, static_cast<size_t>(out->ndim) * sizeof(int64_t));
  return nullptr;
}

int32_t may_decline(const tn_frame*, void*, const tn_value*, uint32_t) {
  return !control.decline;
}

namespace {

// fake::axpy(x, y, a) = a * x + y
tn_status axpy(tn_frame* frame, void*, const tn_value* args, uint32_t, tn_value*, uint32_t) {
  if (tn_status s = begin(frame, "fake")) return s;
  const tn_plan& p = *frame->plan;
  const double a = args[2].tag == TN_TAG_FLOAT ? args[2].u.f : static_cast<double>(args[2].u.i);
  walk(p, [&](char** at) {
    store(p.operands[0], at[0], a * load(p.operands[1], at[1]) + load(p.operands[2], at[2]));
  });
  return nullptr;
}

tn_status less(tn_frame* frame, void*, const tn_value*, uint32_t, tn_value*, uint32_t) {
  if (tn_status s = begin(frame, "fake")) return s;
  const tn_plan& p = *frame->plan;
  walk(p, [&](char** at) {
    store(p.operands[0], at[0], load(p.operands[1], at[1]) < load(p.operands[2], at[2]));
  });
  return nullptr;
}

tn_status copy(tn_frame* frame, void*, const tn_value*, uint32_t, tn_value*, uint32_t) {
  ++control.copies;
  const tn_plan& p = *frame->plan;
  walk(p, [&](char** at) { store(p.operands[0], at[0], load(p.operands[1], at[1])); });
  return nullptr;
}

tn_status sum(tn_frame* frame, void*, const tn_value*, uint32_t, tn_value*, uint32_t) {
  if (tn_status s = begin(frame, "fake")) return s;
  const tn_plan& p = *frame->plan;
  // Zero through the outputs first: reduced dimensions have stride 0 there.
  walk(p, [&](char** at) { store(p.operands[0], at[0], 0); });
  walk(p, [&](char** at) {
    store(p.operands[0], at[0], load(p.operands[0], at[0]) + load(p.operands[1], at[1]));
  });
  return nullptr;
}

// fake::double_plan(x): contiguous f32 or f64 only, output must not be the input.
tn_status twice(tn_frame* frame, void* state, const tn_value* args, uint32_t, tn_value* rets,
                uint32_t) {
  if (tn_status s = begin(frame, static_cast<const char*>(state))) return s;
  const tn_tensor *x = args[0].u.tensor, *y = rets[0].u.tensor;
  for (int64_t i = 0; i < x->numel; ++i) {
    if (x->dtype == TN_F32)
      static_cast<float*>(y->dl.data)[i] = 2 * static_cast<const float*>(x->dl.data)[i];
    else
      static_cast<double*>(y->dl.data)[i] = 2 * static_cast<const double*>(x->dl.data)[i];
  }
  return nullptr;
}

// fake::increment(x): an output that already holds x.
tn_status increment(tn_frame*, void*, const tn_value*, uint32_t, tn_value* rets, uint32_t) {
  const tn_tensor* y = rets[0].u.tensor;
  for (int64_t i = 0; i < y->numel; ++i) static_cast<float*>(y->dl.data)[i] += 1;
  return nullptr;
}

// fake::maybe(x, second): two results, of which the second is there when asked for.
tn_status maybe_infer(tn_frame* frame, void*, const tn_value* args, uint32_t nargs, tn_meta* out,
                      uint32_t n) {
  if (tn_status s = same_infer(frame, nullptr, args, nargs, out, n)) return s;
  if (args[1].u.i) return same_infer(frame, nullptr, args, nargs, out + 1, n);
  return nullptr;
}
tn_status maybe(tn_frame*, void*, const tn_value* args, uint32_t, tn_value* rets, uint32_t) {
  for (int r = 0; r < 2; ++r)
    if (rets[r].tag == TN_TAG_TENSOR)
      std::memcpy(rets[r].u.tensor->dl.data, args[0].u.tensor->dl.data,
                  static_cast<size_t>(args[0].u.tensor->numel) * sizeof(float));
  return nullptr;
}

// fake::grown(x, by=1): an old kernel knows only x.
tn_status grown_old(tn_frame* frame, void*, const tn_value* args, uint32_t nargs, tn_value* rets,
                    uint32_t) {
  if (tn_status s = begin(frame, nargs == 1 ? "old" : "old, with arguments it cannot know"))
    return s;
  const tn_tensor *x = args[0].u.tensor, *y = rets[0].u.tensor;
  for (int64_t i = 0; i < x->numel; ++i)
    static_cast<float*>(y->dl.data)[i] = static_cast<const float*>(x->dl.data)[i] + 1;
  return nullptr;
}
tn_status grown_new(tn_frame* frame, void*, const tn_value* args, uint32_t, tn_value* rets,
                    uint32_t) {
  if (tn_status s = begin(frame, "new")) return s;
  const tn_tensor *x = args[0].u.tensor, *y = rets[0].u.tensor;
  for (int64_t i = 0; i < x->numel; ++i)
    static_cast<float*>(y->dl.data)[i] =
        static_cast<const float*>(x->dl.data)[i] + static_cast<float>(args[1].u.i);
  return nullptr;
}

}  // namespace

// fake::quadruple(x) = double(double(x)), a decomposition.
tn_status quadruple(tn_frame* frame, void*, const tn_value* args, uint32_t, tn_value* rets,
                    uint32_t) {
  leave_trace("decomposition");
  const tn_op* op = nullptr;
  if (tn_status s = frame->host->resolve_op("fake.double_plan", "", 0, &op)) return s;
  tn_value half{};
  if (tn_status s = frame->host->call(op, args, 1, &half, 1)) return s;
  tn_status status = frame->host->call(op, &half, 1, rets, 1);
  frame->host->value_drop(&half);
  return status;
}

namespace {

// fake::quadruple_twice(x) = (quadruple(x), quadruple(x)), a decomposition.
tn_status quadruple_twice(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs,
                          tn_value* rets, uint32_t) {
  for (int i = 0; i < 2; ++i)
    if (tn_status s = quadruple(frame, state, args, nargs, rets + i, 1)) return s;
  return nullptr;
}

tn_status outer(tn_frame* frame, void*, const tn_value* args, uint32_t nargs, tn_value* rets,
                uint32_t nrets) {
  ++control.layer_calls[0];
  leave_trace("outer");
  if (control.outer_unwraps) {  // arrays and tensors of its own, which carry no layers
    tn_value bare[8];
    std::memcpy(bare, args, nargs * sizeof(tn_value));
    if (tn_status s = frame->host->tensor_shallow(args[0].u.tensor, &bare[0].u.tensor)) return s;
    const auto go_on = control.outer_redispatches ? frame->host->redispatch : frame->host->next;
    tn_status status = go_on(frame, bare, nargs, rets, nrets);
    frame->host->tensor_release(bare[0].u.tensor);
    return status;
  }
  for (int i = 1; i < control.next_repeats; ++i) {
    if (tn_status s = frame->host->next(frame, args, nargs, rets, nrets)) return s;
    if (frame->form == TN_FUNCTIONAL)
      for (uint32_t k = 0; k < nrets; ++k) frame->host->value_drop(&rets[k]);
  }
  return frame->host->next(frame, args, nargs, rets, nrets);
}
tn_status inner(tn_frame* frame, void*, const tn_value* args, uint32_t nargs, tn_value* rets,
                uint32_t nrets) {
  ++control.layer_calls[1];
  leave_trace("inner");
  if (control.inner_calls_nested) {
    const tn_op* op = nullptr;
    tn_value result{};
    if (tn_status s = frame->host->resolve_op("fake.double_plan", "", 0, &op)) return s;
    if (tn_status s = frame->host->call(op, args, 1, &result, 1)) return s;
    frame->host->value_drop(&result);
    leave_trace("back");
  }
  return frame->host->next(frame, args, nargs, rets, nrets);
}

// The one kernel of "transforms": starts the call afresh, below itself when no level is left.
tn_status transforms(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs,
                     tn_value* rets, uint32_t nrets) {
  leave_trace("transforms");
  tn_thread_state fresh;
  frame->host->thread_state_get(&fresh);
  fresh.level = ~uint64_t{0};
  if (--control.transform_levels == 0) fresh.exclude |= *static_cast<uint64_t*>(state);
  return frame->host->call_with(&fresh, frame->op, args, nargs, rets, nrets);
}

}  // namespace

void op(tn_plugin* plugin, const char* schema, tn_op_kind kind, tn_promotion promotion,
        uint32_t flags, tn_infer_fn infer, tn_kernel_fn decomposition, tn_device_rule rule) {
  tn_op_desc d = TN_INIT(tn_op_desc);
  d.schema = schema;
  d.doc = "";
  d.kind = static_cast<uint16_t>(kind);
  d.promotion = static_cast<uint16_t>(promotion);
  d.device_rule = static_cast<uint16_t>(rule);
  d.flags = flags;
  d.infer = infer;
  d.decomposition = decomposition;
  tn::check(tn::api->register_op(plugin, &d));
}

void kernel(tn_plugin* plugin, const char* name, const char* device, tn_kernel_fn fn, uint32_t caps,
            uint64_t dtypes, const char* provider, tn_accepts_fn accepts, uint64_t schema_hash,
            uint32_t layouts) {
  tn_kernel_desc d = TN_INIT(tn_kernel_desc);
  d.op = name;
  d.device = device;
  d.fn = fn;
  d.provider = provider;
  d.state = const_cast<char*>(provider ? provider : "fake");
  d.accepts = accepts;
  d.schema_hash = schema_hash;
  d.caps = TN_INIT(tn_caps);
  d.caps.flags = caps;
  d.caps.dtypes = dtypes;
  d.caps.layouts = layouts;
  tn::check(tn::api->register_kernel(plugin, &d));
}

namespace {

constexpr uint64_t kNumbers =
    TN_DTYPE_BIT(TN_F32) | TN_DTYPE_BIT(TN_F64) | TN_DTYPE_BIT(TN_I32) | TN_DTYPE_BIT(TN_I64);

void register_all(tn_plugin* plugin) {
  tn::check(tn::api->register_interface(plugin, "fake.control", 1, &control));
  register_devices(plugin);
  uint64_t bit = 0;
  tn::check(tn::api->register_layer(plugin, "fake_outer", &bit));
  tn::check(tn::api->register_layer(plugin, "fake_inner", &bit));
  tn::check(tn::api->register_fallback(plugin, "fake_outer", outer, nullptr));
  tn::check(tn::api->register_fallback(plugin, "fake_inner", inner, nullptr));
  static uint64_t transforms_bit = 0;
  tn::check(tn::api->register_layer(plugin, "transforms", &transforms_bit));
  tn::check(tn::api->register_fallback(plugin, "transforms", transforms, &transforms_bit));

  const uint32_t plan = TN_CAP_PLAN | TN_CAP_ALIAS_SAFE;
  op(plugin, "fake::axpy(Tensor x, Tensor y, *, Scalar a=2) -> Tensor", TN_KIND_POINTWISE,
     TN_PROMOTE_COMMON, TN_OP_INPLACE);
  kernel(plugin, "fake::axpy", "fakehost", axpy, plan, kNumbers);
  op(plugin, "fake::less(Tensor x, Tensor y) -> Tensor", TN_KIND_POINTWISE, TN_PROMOTE_BOOL, 0);
  kernel(plugin, "fake::less", "fakehost", less, plan, kNumbers);
  op(plugin, "fake::copy_(Tensor(a!) self, Tensor src) -> Tensor(a!)", TN_KIND_POINTWISE,
     TN_PROMOTE_FIRST, TN_OP_INPLACE_ONLY, nullptr, nullptr, TN_DEVICE_OF_FIRST);
  kernel(plugin, "fake::copy_", "fakehost", copy, plan, ~uint64_t{0});
  kernel(plugin, "fake::copy_", "fakedev", copy, plan, ~uint64_t{0});
  tn::check(tn::api->register_role(plugin, "copy", "fake::copy_"));
  op(plugin,
     "fake::sum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> "
     "Tensor",
     TN_KIND_REDUCTION, TN_PROMOTE_SUM, 0);
  kernel(plugin, "fake::sum", "fakehost", sum, plan, kNumbers);
  op(plugin, "fake::double_plan(Tensor self) -> Tensor", TN_KIND_STRUCTURED, TN_PROMOTE_COMMON,
     TN_OP_INPLACE, same_infer);
  kernel(plugin, "fake::double_plan", "fakehost", twice, TN_CAP_CONTIGUOUS, TN_DTYPE_BIT(TN_F32),
         nullptr, may_decline);
  kernel(plugin, "fake::double_plan", "fakehost", twice, TN_CAP_CONTIGUOUS, TN_DTYPE_BIT(TN_F64),
         "second");
  op(plugin, "fake::quadruple(Tensor self) -> Tensor", TN_KIND_COMPOSITE, TN_PROMOTE_COMMON,
     TN_OP_INPLACE, nullptr, quadruple);
  op(plugin, "fake::quadruple_twice(Tensor self) -> (Tensor, Tensor)", TN_KIND_COMPOSITE,
     TN_PROMOTE_COMMON, 0, nullptr, quadruple_twice);
  op(plugin, "fake::quadruple_recorded(Tensor self) -> Tensor", TN_KIND_COMPOSITE,
     TN_PROMOTE_COMMON, 0, nullptr, quadruple);
  static const int derivative = 0;  // that there is one is all that the core looks at
  tn::check(tn::api->register_attribute(plugin, "fake::quadruple_recorded", TN_DERIVATIVE_ATTRIBUTE,
                                        nullptr, 1, &derivative));
  const uint64_t f32 = TN_DTYPE_BIT(TN_F32);
  op(plugin, "fake::increment(Tensor self) -> Tensor", TN_KIND_STRUCTURED, TN_PROMOTE_COMMON,
     TN_OP_INPLACE | TN_OP_UPDATES_SELF, same_infer);
  kernel(plugin, "fake::increment", "fakehost", increment, TN_CAP_CONTIGUOUS, f32);
  op(plugin, "fake::maybe(Tensor self, bool second) -> (Tensor, Tensor)", TN_KIND_STRUCTURED,
     TN_PROMOTE_COMMON, 0, maybe_infer);
  kernel(plugin, "fake::maybe", "fakehost", maybe, TN_CAP_CONTIGUOUS, f32);
  op(plugin, "fake::grown(Tensor self, int by=1) -> Tensor", TN_KIND_STRUCTURED, TN_PROMOTE_COMMON,
     0, same_infer);
  tn_schema* before = nullptr;
  tn::check(tn::api->schema_parse("fake::grown(Tensor self) -> Tensor", &before));
  kernel(plugin, "fake::grown", "fakehost", grown_old, TN_CAP_CONTIGUOUS, f32, "old", nullptr,
         before->hash);
  tn::api->schema_free(before);
  kernel(plugin, "fake::grown", "fakehost", grown_new, TN_CAP_CONTIGUOUS, f32, "new");
  // More arguments than any operator has in earnest.
  op(plugin,
     "fake::many(Tensor t0, Tensor t1, Tensor t2, Tensor t3, Tensor t4, Tensor t5, Tensor t6, "
     "Tensor t7, Tensor t8, Tensor t9, "
     "Tensor t10, Tensor t11, Tensor t12, Tensor t13, Tensor t14, Tensor t15, Tensor t16, Tensor "
     "t17, Tensor t18, Tensor t19) -> Tensor",
     TN_KIND_STRUCTURED, TN_PROMOTE_COMMON, 0, same_infer);
  kernel(plugin, "fake::many", "fakehost", twice, TN_CAP_CONTIGUOUS, TN_DTYPE_BIT(TN_F64));
  op(plugin, "fake::hasty(Tensor self) -> Tensor", TN_KIND_STRUCTURED, TN_PROMOTE_COMMON,
     TN_OP_NONDETERMINISTIC, same_infer);
  kernel(plugin, "fake::hasty", "fakehost", twice, TN_CAP_CONTIGUOUS, f32, "quick");
  kernel(plugin, "fake::hasty", "fakehost", twice, TN_CAP_CONTIGUOUS | TN_CAP_DETERMINISTIC, f32,
         "steady");
  op(plugin, "fake::nowhere(Tensor self) -> Tensor", TN_KIND_STRUCTURED, TN_PROMOTE_COMMON,
     TN_OP_NO_OUT, same_infer);
  register_placed(plugin);
  register_restricted(plugin);
  register_refused(plugin);
}

}  // namespace
}  // namespace fake

extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn::plugin_entry(host, [&] { fake::register_all(plugin); });
}
