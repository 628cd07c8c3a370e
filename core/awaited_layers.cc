#include "core/awaited_layers.h"

#include "core/error.h"
#include "core/frame.h"
#include "core/layers.h"
#include "core/loader.h"
#include "core/locks.h"
#include "core/registry_state.h"
#include "core/restricted.h"
#include "core/thread.h"

namespace tenon {
namespace {

LayerKernel kernels[64];  // written by awaited_layers_start

tn_status load_and_run(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs,
                       tn_value* rets, uint32_t nrets) {
  const auto* kernel = static_cast<const LayerKernel*>(state);
  const auto index = kernel - kernels;
  const uint64_t bit = uint64_t{1} << index;
  const char* name = layers_name(bit);
  if (tn_status s = load_for_layer(name))
    return tn_status_annotate(s, "the thread's state includes layer %s:", name);
  Frame& f = core(frame);
  uint64_t present = f.entry->layers.load(std::memory_order_acquire);
  if (registry().fallbacks[index].load(std::memory_order_acquire) != kernel)
    present |= fallback_layers();
  else if (fallback_layers() & bit && !(present & bit))
    return TN_ERROR(TN_RUNTIME_ERROR,
                    "the thread's state includes layer %s, whose plugin is just being loaded",
                    name);
  // Once more, from this layer on; the call that led here restores both.
  f.layers |= bit & present;
  thread_block.state.level |= bit;
  return tn_next(frame, args, nargs, rets, nrets);
}

}  // namespace

const LayerKernel* awaited_layer_kernel(int bit) {
  return &kernels[bit];
}

void awaited_layers_start(uint64_t bits) {
  for (LayerKernel& kernel : kernels) kernel = {load_and_run, &kernel};
  fallback_layer_bits = kRestrictedBit;
  awaited_layers_left(bits);
}

void awaited_layers_arrived(uint64_t bits) {
  const Locked lock(Lock::kRegistry);
  Registry& r = registry();
  for (int bit = 0; bit < 64; ++bit)
    // Without a fallback it has code for the operators that it registered kernels for, and no
    // other.
    if (bits >> bit & 1 && r.fallbacks[bit] == &kernels[bit])
      fallback_layer_bits.fetch_and(~(uint64_t{1} << bit));
}

void awaited_layers_left(uint64_t bits) {
  const Locked lock(Lock::kRegistry);
  Registry& r = registry();
  for (int bit = 0; bit < 64; ++bit)
    if (bits >> bit & 1) r.fallbacks[bit] = &kernels[bit];
  fallback_layer_bits.fetch_or(bits, std::memory_order_release);
}

}  // namespace tenon
