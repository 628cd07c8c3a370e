#include "core/choose.h"

#include <algorithm>

#include <tenon/thread.h>

#include "core/arguments.h"
#include "core/call_tensors.h"
#include "core/dtype.h"
#include "core/tensor.h"
#include "core/text.h"

namespace tenon {
namespace {

// The narrowest dtype of the same category, at least as wide, that the kernel takes; NONE when
// there is none.
tn_dtype widened(const tn_caps& caps, tn_dtype dtype) {
  if (caps.dtypes & TN_DTYPE_BIT(dtype)) return dtype;
  tn_dtype best = TN_DTYPE_NONE;
  for (int d = 0; d < kDtypeCount; ++d) {
    const auto candidate = static_cast<tn_dtype>(d);
    if (!(caps.dtypes & TN_DTYPE_BIT(candidate)) ||
        dtype_category(candidate) != dtype_category(dtype))
      continue;
    if (tn_dtype_promote(candidate, dtype) != candidate) continue;
    if (best == TN_DTYPE_NONE || tn_dtype_size(candidate) < tn_dtype_size(best)) best = candidate;
  }
  return best;
}

bool takes(const Kernel& k, Fitting fitting, const tn_tensor* t) {
  const tn_caps& caps = k.caps;
  if (caps.max_ndim && t->dl.ndim > caps.max_ndim) return false;
  const auto dtype = static_cast<tn_dtype>(t->dtype);
  if (fitting == Fitting::widened ? widened(caps, dtype) == TN_DTYPE_NONE
                                  : !(caps.dtypes & TN_DTYPE_BIT(dtype)))
    return false;
  return fitting != Fitting::none || !wants_contiguous(k, t);
}

bool may_run(const Frame& frame, const Kernel& k, const tn_value* args, uint32_t nargs) {
  if (frame.flags & TN_THREAD_DETERMINISTIC && frame.entry->desc.flags & TN_OP_NONDETERMINISTIC &&
      !(k.caps.flags & TN_CAP_DETERMINISTIC))
    return false;
  // A kernel of an older schema cannot honour arguments that it has never heard of.
  if (k.nargs < nargs && !arguments_are_default(*frame.entry, args, k.nargs)) return false;
  return !k.accepts || k.accepts(&frame, k.state, args, std::min(nargs, k.nargs));
}

}  // namespace

tn_dtype fitted_dtype(const Kernel& kernel, Fitting fitting, const tn_tensor* tensor) {
  const auto dtype = static_cast<tn_dtype>(tensor->dtype);
  return fitting == Fitting::widened ? widened(kernel.caps, dtype) : dtype;
}

// Only strided tensors can be copied into row-major order.
bool wants_contiguous(const Kernel& kernel, const tn_tensor* tensor) {
  return kernel.caps.flags & TN_CAP_CONTIGUOUS && !(tensor->flags & TN_TENSOR_CONTIGUOUS) &&
         tensor->layout == TN_STRIDED;
}

const Kernel* choose_for_dtype(const Frame& frame, const Cell& cell, tn_dtype compute,
                               const tn_value* args, uint32_t nargs) {
  for (const Kernel* k : cell.candidates)
    if (k->caps.flags & TN_CAP_PLAN && k->caps.dtypes & TN_DTYPE_BIT(compute) &&
        may_run(frame, *k, args, nargs))
      return k;
  return nullptr;
}

const Kernel* choose_for_tensors(const Frame& frame, const Cell& cell, const tn_value* args,
                                 uint32_t nargs, Fitting* fitting) {
  for (const Fitting f : {Fitting::none, Fitting::contiguous, Fitting::widened})
    for (const Kernel* k : cell.candidates)
      if (all_tensors(args, nargs, [&](const tn_tensor* t, uint32_t) { return takes(*k, f, t); }) &&
          may_run(frame, *k, args, nargs))
        return *fitting = f, k;
  return nullptr;
}

tn_status fit_arguments(const Kernel& kernel, Fitting fitting, tn_value* args, uint32_t nargs,
                        OwnedValues& copies) {
  for (uint32_t i = 0; i < nargs; ++i) {
    if (args[i].tag != TN_TAG_TENSOR) continue;
    tn_tensor* t = args[i].u.tensor;
    const auto dtype = static_cast<tn_dtype>(t->dtype);
    const tn_dtype wanted = fitted_dtype(kernel, fitting, t);
    tn_tensor* fitted = nullptr;
    if (wanted != dtype) {
      if (tn_status s = tn_tensor_cast(t, wanted, &fitted)) return s;
      copies.add(fitted);
      args[i].u.tensor = t = fitted;
    }
    if (wants_contiguous(kernel, t)) {
      if (tn_status s = tn_tensor_contiguous(t, TN_CONTIGUOUS, &fitted)) return s;
      copies.add(fitted);
      args[i].u.tensor = fitted;
    }
  }
  return nullptr;
}

void explain_refusal(const Frame& frame, const Kernel& kernel, tn_dtype compute,
                     const tn_value* args, uint32_t nargs, Text& text) {
  const tn_caps& caps = kernel.caps;
  if (compute != TN_DTYPE_NONE) {
    if (!(caps.flags & TN_CAP_PLAN)) return text.append("it takes no plan");
    if (!(caps.dtypes & TN_DTYPE_BIT(compute)))
      return text.append("it does not compute in %s", tn_dtype_name(compute));
  } else if (!all_tensors(args, nargs, [&](const tn_tensor* t, uint32_t) {
               if (takes(kernel, Fitting::none, t)) return true;
               if (caps.max_ndim && t->dl.ndim > caps.max_ndim)
                 text.append("it takes at most %d dimensions", caps.max_ndim);
               else if (!(caps.dtypes & TN_DTYPE_BIT(t->dtype)))
                 text.append("it takes no %s", tn_dtype_name(static_cast<tn_dtype>(t->dtype)));
               else
                 text.append("it takes contiguous tensors only");
               return false;
             })) {
    return;
  }
  // Only now: what the caps exclude never reaches `accepts`.
  if (may_run(frame, kernel, args, nargs)) return;
  if (kernel.accepts) return text.append("it declines this call");
  text.append(kernel.nargs < nargs ? "it was built for an older schema of the operator"
                                   : "it is not deterministic, as this thread demands");
}

void explain_choice(const Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                    Text& text) {
  for (const Kernel* k : cell.candidates) {
    text.append("\n  provider %s on %s: ", k->provider.c_str(), k->device.c_str());
    if (!may_run(frame, *k, args, nargs)) {
      text.append("declines this call");
      continue;
    }
    text.append("takes");
    for (int d = 0; d < kDtypeCount; ++d)
      if (k->caps.dtypes & TN_DTYPE_BIT(d))
        text.append(" %s", tn_dtype_name(static_cast<tn_dtype>(d)));
  }
}

}  // namespace tenon
