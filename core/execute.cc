#include "core/execute.h"

#include <algorithm>
#include <cstring>

#include <tenon/thread.h>

#include "core/call_tensors.h"
#include "core/choose.h"
#include "core/config.h"
#include "core/error.h"
#include "core/fallback.h"
#include "core/loader.h"
#include "core/outputs.h"
#include "core/tensor.h"
#include "core/text.h"

namespace tenon {
namespace {

// Every argument that the schema marks as written has been.
[[gnu::noinline]] void arguments_written(const Operator& op, const tn_value* args) {
  each_tensor(args, op.nargs, [&](tn_tensor* t, uint32_t at) {
    if (op.schema->args[at].flags & TN_PARAM_WRITTEN) tn_tensor_bump_version(t);
  });
}

// Each tensor that the schema marks as written, also in a list, has a place for every element.
[[gnu::noinline]] tn_status check_written(const Frame& frame, const tn_value* args) {
  const Operator& op = *frame.entry;
  tn_status status = nullptr;
  all_tensors(args, op.nargs, [&](const tn_tensor* t, uint32_t at) {
    if (op.schema->args[at].flags & TN_PARAM_WRITTEN) status = check_no_internal_overlap(frame, t);
    return !status;
  });
  return status;
}

// Code that makes its results, in whatever form the call has.
template <class Run>
tn_status run_making(Frame& frame, const tn_value* args, tn_value* rets, uint32_t nrets,
                     Run&& run) {
  const Operator& op = *frame.entry;
  tn_status status;
  if (frame.form == TN_FUNCTIONAL || op.desc.flags & TN_OP_INPLACE_ONLY) {
    status = run(rets);
  } else {
    tn_value made[16] = {};
    if (nrets > 16) return TN_ERROR(TN_NOT_IMPLEMENTED, "%s: more than 16 results", op.name());
    const uint32_t form = frame.form;
    frame.form = TN_FUNCTIONAL;
    status = run(made);
    frame.form = form;
    if (!status) status = outputs_take(frame, made, rets, nrets);
    for (uint32_t i = 0; i < nrets; ++i) tn_value_drop(&made[i]);
  }
  if (!status && op.writes_arguments) arguments_written(op, args);
  return status;
}

// Where a kernel is to be chosen or arguments are to be made to fit, or results to be moved.
[[gnu::noinline]] tn_status make_carefully(Frame& frame, const Cell& cell, const tn_value* args,
                                           uint32_t nargs, tn_value* rets, uint32_t nrets) {
  Fitting fitting = Fitting::none;
  const Kernel* kernel =
      cell.candidates.empty() ? nullptr : choose_for_tensors(frame, cell, args, nargs, &fitting);
  if (!kernel) return execute_without_kernel(frame, cell, args, nargs, rets, nrets);
  if (fitting == Fitting::none)
    return run_making(frame, args, rets, nrets, [&](tn_value* out) {
      return run_kernel(frame, *kernel, args, nargs, out, nrets);
    });
  // Arguments that are written cannot be replaced by copies.
  for (uint32_t i = 0; i < nargs; ++i)
    if (frame.entry->schema->args[i].flags & TN_PARAM_WRITTEN)
      return execute_without_kernel(frame, cell, args, nargs, rets, nrets);
  tn_value fitted[64];
  OwnedValues copies;
  std::memcpy(fitted, args, nargs * sizeof(tn_value));
  if (tn_status s = fit_arguments(*kernel, fitting, fitted, nargs, copies)) return s;
  return run_making(frame, args, rets, nrets, [&](tn_value* out) {
    return run_kernel(frame, *kernel, fitted, nargs, out, nrets);
  });
}

tn_status execute_making(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                         tn_value* rets, uint32_t nrets) {
  if (cell.first_takes_all && frame.form == TN_FUNCTIONAL && !frame.entry->writes_arguments &&
      !(frame.flags & TN_THREAD_DETERMINISTIC))
    return run_kernel(frame, *cell.first_takes_all, args, nargs, rets, nrets);
  return make_carefully(frame, cell, args, nargs, rets, nrets);
}

// The executor of rows that write their arguments.
template <Executor kExecute>
tn_status execute_writing(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                          tn_value* rets, uint32_t nrets) {
  if (tn_status s = check_written(frame, args)) return s;
  tn_status status = kExecute(frame, cell, args, nargs, rets, nrets);
  // What no result stands for; of the others, versions are counted with the results.
  if (kExecute == execute_structured && !status) arguments_written(*frame.entry, args);
  return status;
}

[[gnu::cold]] tn_status missing_kernel(const Frame& frame, const Cell& cell, const tn_value* args,
                                       uint32_t nargs) {
  const Operator& op = *frame.entry;
  const char* device = tn_device_name(frame.device.type);
  char buffer[1024];
  Text why(buffer, sizeof buffer);
  if (cell.candidates.empty()) {
    const std::string others = devices_with_kernel(op);
    why.append("\n  kernels exist for: %s", others.empty() ? "no device" : others.c_str());
  } else {
    explain_choice(frame, cell, args, nargs, why);
  }
  const std::string failures = provider_failures(op.name(), device);
  if (!failures.empty()) why.append("\n  %s", failures.c_str());
  return TN_ERROR(TN_NOT_IMPLEMENTED, "%s has no kernel for this call on %s%s", op.name(), device,
                  buffer);
}

}  // namespace

tn_status execute_decomposition(Frame& frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                                uint32_t nrets) {
  const tn_op_desc& desc = frame.entry->desc;
  return run_making(frame, args, rets, nrets, [&](tn_value* out) {
    return desc.decomposition(&frame, desc.state, args, nargs, out, nrets);
  });
}

tn_status execute_without_kernel(Frame& frame, const Cell& cell, const tn_value* args,
                                 uint32_t nargs, tn_value* rets, uint32_t nrets) {
  if (frame.entry->desc.decomposition)
    return execute_decomposition(frame, args, nargs, rets, nrets);
  const FallbackPolicy policy = config_fallback();
  const uint32_t flags = tn_device_flags(frame.device.type);
  if (policy != FallbackPolicy::kError && !(flags & (TN_DEVICE_HOST | TN_DEVICE_NO_DATA)))
    return fall_back_to_host(frame, policy == FallbackPolicy::kWarn, args, nargs, rets, nrets);
  return missing_kernel(frame, cell, args, nargs);
}

tn_status execute_first(Frame& frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                        uint32_t nrets) {
  const tn_device_vtable* table = nullptr;
  if (frame.device.type != TN_DEVICE_NONE) {
    if (tn_status s = device_require(frame.device.type, &table)) return s;
  } else if (frame.entry->desc.kind < TN_KIND_STRUCTURED) {
    return TN_ERROR(TN_TYPE_ERROR, "%s: no argument is a tensor; one at least must be",
                    frame.entry->name());
  }
  const Cell* cell = nullptr;
  if (tn_status s = cell_for(*frame.entry, frame.device.type, &cell)) return s;
  return frame.entry->execute(frame, *cell, args, nargs, rets, nrets);
}

Executor executor(tn_op_kind kind, bool writes_arguments) {
  switch (kind) {
    case TN_KIND_POINTWISE:
      return writes_arguments ? execute_writing<execute_pointwise> : execute_pointwise;
    case TN_KIND_REDUCTION:
      return writes_arguments ? execute_writing<execute_reduction> : execute_reduction;
    case TN_KIND_STRUCTURED:
      return writes_arguments ? execute_writing<execute_structured> : execute_structured;
    default:
      return writes_arguments ? execute_writing<execute_making> : execute_making;
  }
}

}  // namespace tenon
