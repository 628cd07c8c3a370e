// What the parts of the fake plugin share.
#pragma once

#include <tenon/sdk/entry.h>

#include "fake_control.h"

namespace fake {

extern FakeControl control;

// Adds a name to control.trail.
void leave_trace(const char* name);
// What every kernel starts with: it notes that it ran, or fails when it is told to.
tn_status begin(tn_frame* frame, const char* provider);

// The output is like the first argument.
tn_status same_infer(tn_frame*, void*, const tn_value* args, uint32_t, tn_meta* out, uint32_t);
// Accepts unless control.decline.
int32_t may_decline(const tn_frame*, void*, const tn_value*, uint32_t);
// x -> fake::double_plan(fake::double_plan(x))
tn_status quadruple(tn_frame* frame, void*, const tn_value* args, uint32_t, tn_value* rets,
                    uint32_t);

void op(tn_plugin* plugin, const char* schema, tn_op_kind kind, tn_promotion promotion,
        uint32_t flags, tn_infer_fn infer = nullptr, tn_kernel_fn decomposition = nullptr,
        tn_device_rule rule = TN_DEVICE_SAME);
// The kernel's state is the provider's name.
void kernel(tn_plugin* plugin, const char* name, const char* device, tn_kernel_fn fn, uint32_t caps,
            uint64_t dtypes, const char* provider = nullptr, tn_accepts_fn accepts = nullptr,
            uint64_t schema_hash = 0, uint32_t layouts = 0);

void register_devices(tn_plugin* plugin);     // fake_devices.cc
void register_placed(tn_plugin* plugin);      // fake_placed.cc
void register_restricted(tn_plugin* plugin);  // fake_restricted.cc
void register_refused(tn_plugin* plugin);     // fake_refused.cc

}  // namespace fake
