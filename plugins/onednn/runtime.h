// runtime.h - oneDNN's engine and stream, and the threads it may use.
#pragma once
#include <oneapi/dnnl/dnnl.hpp>

#include "tenon/sdk/kernel.h"

namespace onednn {

const dnnl::engine& engine();

// So that a child of fork knows that it is one; for the plugin's entry.
void prepare_forks(tn_plugin* plugin);

// Prepares the calling thread for a call of oneDNN and returns how many threads it will use. After
// fork() the child has no team and must not touch the parent's, so it gets one thread, as does a
// call from inside a parallel region.
int prepare_threads();

// A stream of the calling thread.
dnnl::stream& stream();

// Runs `body` and turns oneDNN's exceptions into tn::Error.
template <class Body>
void translated(Body&& body) {
  try {
    body();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) tn::check(tn::api->status_out_of_memory());
    tn::check(tn::api->status_make(TN_INTERNAL, "onednn", error.status, "", 0, "oneDNN: %s",
                                   error.what()));
  }
}

// Whether oneDNN computes in this dtype here; sets `out` if so.
bool has_dtype(int dtype, dnnl::memory::data_type* out);

// A tensor's own geometry.
dnnl::memory::desc desc_of(const tn_tensor* t);

}  // namespace onednn
