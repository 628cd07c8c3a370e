// Any operator of the loaded plugins with any arguments, in every form. Each call ends in a value
// or in an error that a person understands; after an error nothing has changed; nothing leaks; what
// cannot be had in memory is an error too.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <string>
#include <vector>

#include <tenon/sdk/autograd.h>
#include <tenon/sdk/tensor.h>

#include "draw.h"
#include "state.h"
#include "tally.h"

// No program has more than 64 MiB for one block: what asks for more gets the error it would get on
// a small machine.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=64";
}

namespace {

using fuzz::Draw;
using fuzz::State;
using tn::Tensor;

struct Call {
  const tn_op* op;
  const tn_schema* schema;
  tn_form form;
  std::vector<tn_value> args, rets;

  std::string text() const {
    static constexpr const char* kForms[] = {"functional", "out", "in-place"};
    std::string text = std::string(schema->text) + ", " + kForms[form] + " form, of";
    for (const tn_value& v : args) text += " " + describe(v);
    if (form == TN_OUT)
      for (const tn_value& v : rets) text += " out=" + describe(v);
    return text;
  }
  static std::string describe(const tn_value& v) {
    switch (v.tag) {
      case TN_TAG_NONE:
        return "none";
      case TN_TAG_TENSOR:
        return describe(v.u.tensor);
      case TN_TAG_FLOAT:
        return std::to_string(v.u.f);
      case TN_TAG_STRING:
        return '"' + std::string(v.u.str) + '"';
      case TN_TAG_INTS: {
        std::string text = "[";
        for (uint32_t i = 0; i < v.len; ++i) text += std::to_string(v.u.ints[i]) + " ";
        return text + "]";
      }
      case TN_TAG_TENSORS: {
        std::string text = "[";
        for (uint32_t i = 0; i < v.len; ++i) text += describe(v.u.tensors[i]) + " ";
        return text + "]";
      }
      default:
        return "tag " + std::to_string(v.tag) + ": " + std::to_string(v.u.i);
    }
  }
  static std::string describe(tn_tensor* t) {
    if (!t) return "null";
    std::string text = Tensor::share(t).describe() + "/";
    for (int d = 0; d < t->dl.ndim; ++d) text += std::to_string(t->dl.strides[d]) + ",";
    return text + "+" + std::to_string(tn::api->tensor_storage_offset(t)) +
           (t->layers ? " with layers" : "");
  }
};

// For whoever reads the finding.
const Call* current = nullptr;
fuzz::Tally tally;
// Set by tools/fuzz --again: a signal does not come with the call.
const bool shows_calls = std::getenv("FUZZ_SHOW") != nullptr;

[[noreturn]] void wrong(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", what.c_str(), current ? current->text().c_str() : "");
  std::abort();
}

// The result is what its metadata says, to the last element.
void read(tn_tensor* t) {
  const size_t size = tn::api->dtype_size(static_cast<tn_dtype>(t->dtype));
  if (size == 0) wrong("a result without a dtype");
  int64_t numel = 1;
  for (int d = 0; d < t->dl.ndim; ++d) {
    if (t->dl.shape[d] < 0 || t->dl.strides[d] < 0) wrong("a result of negative extent");
    if (__builtin_mul_overflow(numel, t->dl.shape[d], &numel))
      return;  // without elements, or on meta
  }
  if (numel != t->numel) wrong("a result that counts its elements wrongly");
  if (numel > (1 << 16) || tn::api->device_flags(t->dl.device.type) & TN_DEVICE_NO_DATA) return;
  std::vector<char> bytes(static_cast<size_t>(numel) * size);
  if (tn_status s = tn::api->tensor_read(t, bytes.data(), bytes.size()))
    wrong(tn::api->status_message(s));
}

void read(const tn_value& v) {
  if (v.tag == TN_TAG_TENSOR) read(v.u.tensor);
  if (v.tag == TN_TAG_TENSORS)
    for (uint32_t i = 0; i < v.len; ++i)
      if (v.u.tensors[i]) read(v.u.tensors[i]);
}

// Takes the status.
void check_error(tn_status status) {
  const tn_code code = tn::api->status_code(status);
  const std::string message = tn::api->status_message(status);
  if (code == TN_INTERNAL || code == TN_DECLINED || message.empty()) wrong("error: " + message);
  tn::api->status_release(status);
}

// As its schema says, or, where PyTorch's schema keeps silent, its facts.
bool writes_arguments(const tn_op* op) {
  if (tn::api->op_facts(op)->flags & TN_OP_SIDE_EFFECT) return true;
  const tn_schema& schema = *tn::api->op_schema(op);
  for (uint32_t i = 0; i < schema.nargs; ++i)
    if (schema.args[i].flags & TN_PARAM_WRITTEN) return true;
  return false;
}

void check_unchanged(const State& before, const char* after) {
  if (const Tensor* t = before.changed()) wrong(t->describe() + " has changed after " + after);
}

Tensor ones_like(const Tensor& t) {
  tn_meta meta{};
  meta.device = t.device();
  meta.dtype = static_cast<uint16_t>(t.dtype());
  meta.ndim = static_cast<int32_t>(t.dim());
  std::copy(t.sizes().begin(), t.sizes().end(), meta.sizes);
  tn_tensor* made = nullptr;
  tn::check(tn::api->tensor_empty(&meta, &made));
  static const tn_op* fill = [] {
    const tn_op* found = nullptr;
    tn::check(tn::api->resolve_op("fill_", "Scalar", 0, &found));
    return found;
  }();
  const tn_value args[] = {tn::to_value(Tensor::share(made)), tn::to_value(1)};
  tn::check(tn::api->call(fill, args, 2, nullptr, 0));
  return Tensor::own(made);
}

// Gradients have their leaf's form, or there is an error.
void backward(const std::vector<tn_value>& rets, const std::vector<Tensor>& inputs, bool twice) {
  std::vector<Tensor> outputs, grads;
  auto add = [&](tn_tensor* t) {
    if (!t || t->layers == 0 || !tn::autograd().requires_grad(t)) return;
    if (t->numel > 1 << 16) return;
    outputs.push_back(Tensor::share(t));
    grads.push_back(ones_like(outputs.back()));
  };
  for (const tn_value& v : rets) {
    if (v.tag == TN_TAG_TENSOR) add(v.u.tensor);
    if (v.tag == TN_TAG_TENSORS)
      for (uint32_t i = 0; i < v.len; ++i) add(v.u.tensors[i]);
  }
  if (outputs.empty()) return;
  const auto raw = [](const std::vector<Tensor>& list) {
    return reinterpret_cast<tn_tensor* const*>(list.data());
  };
  tn_status status =
      tn::autograd().backward(raw(outputs), raw(grads), static_cast<uint32_t>(outputs.size()),
                              twice ? TN_BACKWARD_CREATE_GRAPH : 0);
  if (status) return check_error(status);
  for (const Tensor& input : inputs) {
    const Tensor grad = input.requires_grad() ? input.grad() : Tensor();
    if (!grad.defined()) continue;
    if (grad.sizes() != input.sizes() || grad.dtype() != input.dtype())
      wrong("gradient " + grad.describe() + " of " + input.describe());
    read(grad.get());
    tn::check(tn::autograd().set_grad(input.get(), nullptr));
  }
}

void run(Draw& draw) {
  Call call;
  const size_t place = draw.index(tn::api->op_count());
  const tn_op* base = tn::api->op_at(place);
  call.schema = tn::api->op_schema(base);
  call.form = static_cast<tn_form>(draw.one_in(2)   ? TN_FUNCTIONAL
                                   : draw.one_in(2) ? TN_OUT
                                                    : TN_INPLACE);
  if (tn::api->op_facts(base)->flags & TN_OP_INPLACE_ONLY) call.form = TN_INPLACE;
  if (tn_status none = tn::api->op_form(base, call.form, &call.op)) {
    tn::api->status_release(none);
    return;
  }
  call.args = draw.arguments(*call.schema);
  call.rets.resize(call.schema->nrets);
  if (call.form == TN_OUT)
    for (tn_value& ret : call.rets) ret = draw.output();
  const bool wants_backward = draw.one_in(2), twice = draw.one_in(4);
  current = &call;
  if (shows_calls) std::fprintf(stderr, "%s\n", call.text().c_str());

  const State before(draw.tensors);
  const auto nrets =
      static_cast<uint32_t>(call.form == TN_INPLACE && draw.one_in(2) ? 0 : call.rets.size());
  std::vector<tn_value> rets = call.rets;
  tn_status status = tn::api->call(call.op, call.args.data(),
                                   static_cast<uint32_t>(call.args.size()), rets.data(), nrets);
  tally.count(place, !status);
  if (status) {
    check_error(status);
    check_unchanged(before, "an error");
    return;
  }
  if (call.form == TN_FUNCTIONAL && !writes_arguments(base))
    check_unchanged(before, "a call that writes nothing");
  if (nrets > 0)
    for (const tn_value& v : rets) read(v);
  if (wants_backward && call.form == TN_FUNCTIONAL) backward(rets, draw.tensors, twice);
  if (call.form == TN_FUNCTIONAL)
    for (tn_value& v : rets) tn::api->value_drop(&v);
}

uint64_t live_bytes() {
  tn_memory_stats stats = TN_INIT(tn_memory_stats);
  tn_device host{};
  tn::check(tn::api->device_host(&host));
  tn::check(tn::api->memory_get_stats(host.type, &stats));
  return stats.live_bytes;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) try {
  setenv("TENON_CONFIG", "/dev/null", 1);
  setenv("TENON_THREADS", "1", 1);
  setenv("TENON_LOG", "silent", 1);
  tn::init();
  tn::Device cpu("cpu"), meta("meta");
  tn::autograd();
  const tn_op* op = nullptr;
  tn::check(tn::api->resolve_op("add", "Tensor", 0, &op));
  if (!shows_calls) std::atexit([] { tally.print(); });
  return 0;
} catch (const tn::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  std::exit(1);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const uint64_t tensors = tn::api->tensor_live_count(), bytes = live_bytes();
  try {
    Draw draw(data, size);
    run(draw);
  } catch (const tn::Error& error) {
    wrong(error.what());
  }
  if (tn::api->tensor_live_count() != tensors) wrong("tensors leak");
  if (live_bytes() != bytes) wrong("memory leaks");
  current = nullptr;
  return 0;
}
