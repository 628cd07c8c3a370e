#include "core/fallback.h"

#include <cstring>
#include <set>
#include <vector>

#include "core/error.h"
#include "core/guard.h"
#include "core/locks.h"
#include "core/log.h"
#include "core/once.h"
#include "core/outputs.h"
#include "core/tensor.h"

namespace tenon {
namespace {

constinit Once<std::set<std::pair<const Operator*, std::string>>> warned;

void warn_once(const Operator& op, const char* device) {
  {
    const Locked lock(Lock::kFallbacks);
    if (!warned.get().emplace(&op, device).second) return;
  }
  log_warning(
      "%s has no kernel on %s and runs on the host, with copies both ways (fallback = \"warn\")",
      op.name(), device);
}

// Tensors of one call on the host. Lists keep their arrays here.
struct HostCall {
  std::vector<tn_value> args;
  std::vector<std::vector<tn_tensor*>> lists;
  std::vector<tn_tensor*> owned;
  ~HostCall() {
    for (tn_tensor* t : owned) tensor_release(t);
  }

  tn_status to_host(tn_tensor* t, tn_device host, tn_tensor** out) {
    if (!t) return *out = nullptr, nullptr;
    if (tn_status s = tn_tensor_to(t, host, static_cast<tn_dtype>(t->dtype), out)) return s;
    owned.push_back(*out);
    return nullptr;
  }

  tn_status take(const tn_value* from, uint32_t count, tn_device host) {
    args.assign(from, from + count);
    lists.reserve(count);
    for (tn_value& v : args) {
      if (v.tag == TN_TAG_TENSOR) {
        if (tn_status s = to_host(v.u.tensor, host, &v.u.tensor)) return s;
      } else if (v.tag == TN_TAG_TENSORS) {
        auto& list = lists.emplace_back(v.len);
        for (uint32_t i = 0; i < v.len; ++i)
          if (tn_status s = to_host(v.u.tensors[i], host, &list[i])) return s;
        v.u.tensors = list.data();
      } else if (v.tag == TN_TAG_DEVICE) {
        v.u.device = host;
      }
    }
    return nullptr;
  }
};

tn_status copy_back_written(const Operator& op, const HostCall& call, const tn_value* args) {
  for (uint32_t i = 0; i < op.nargs; ++i) {
    if (!(op.schema->args[i].flags & TN_PARAM_WRITTEN)) continue;
    if (args[i].tag == TN_TAG_TENSOR) {
      if (tn_status s = tn_tensor_copy(args[i].u.tensor, call.args[i].u.tensor)) return s;
    } else if (args[i].tag == TN_TAG_TENSORS) {
      for (uint32_t k = 0; k < args[i].len; ++k)
        if (args[i].u.tensors[k])
          if (tn_status s = tn_tensor_copy(args[i].u.tensors[k], call.args[i].u.tensors[k]))
            return s;
    }
  }
  return nullptr;
}

}  // namespace

tn_status fall_back_to_host(Frame& frame, bool warn, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets) {
  return guard([&]() -> tn_status {
    const Operator& op = *frame.entry;
    if (warn) warn_once(op, tn_device_name(frame.device.type));
    tn_device host;
    if (tn_status s = tn_device_host(&host)) return s;
    HostCall call;
    if (tn_status s = call.take(args, nargs, host)) return s;
    const bool inplace_only = op.desc.flags & TN_OP_INPLACE_ONLY;
    std::vector<tn_value> made(nrets);
    const tn_op& form = op.forms[inplace_only ? TN_INPLACE : TN_FUNCTIONAL];
    if (tn_status s = tn_call(&form, call.args.data(), nargs, made.data(), nrets)) return s;
    if (inplace_only) return copy_back_written(op, call, args);
    tn_status status = copy_back_written(op, call, args);
    if (!status && frame.form != TN_FUNCTIONAL)
      status = outputs_take(frame, made.data(), rets, nrets, &frame.device);
    for (uint32_t i = 0; i < nrets; ++i) {
      if (!status && frame.form == TN_FUNCTIONAL && made[i].tag == TN_TAG_TENSOR) {
        tn_tensor *t = made[i].u.tensor, *moved = nullptr;
        status = tn_tensor_to(t, frame.device, static_cast<tn_dtype>(t->dtype), &moved);
        if (!status) rets[i].tag = TN_TAG_TENSOR, rets[i].u.tensor = moved;
        tn_value_drop(&made[i]);
      } else if (!status && frame.form == TN_FUNCTIONAL) {
        rets[i] = made[i];
      } else {
        tn_value_drop(&made[i]);
      }
    }
    return status;
  });
}

}  // namespace tenon
