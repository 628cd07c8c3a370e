/* thread.h - layers, and the state of the calling thread.
 *
 * A layer is a named functionality that wraps operators. It owns one of 64 bits, allotted when plugins are discovered;
 * higher bits run first. The thread's state says which layers are switched on or off whatever the tensors say, whether
 * gradients are recorded, and below which layer nested calls start. The core saves and restores the latter around every
 * kernel.
 */
#ifndef TENON_THREAD_H
#define TENON_THREAD_H

#include <tenon/status.h>

#define TN_THREAD_NO_GRAD 1u       /* operators are not recorded */
#define TN_THREAD_INFERENCE 2u     /* and their results never will be */
#define TN_THREAD_DETERMINISTIC 4u /* only kernels that say TN_CAP_DETERMINISTIC */
#define TN_THREAD_CAPTURING 8u

typedef struct tn_thread_state {
  uint64_t include;         /* layers visited by every call; the first one loads their plugins, or fails */
  uint64_t exclude;         /* layers visited by none */
  uint64_t level;           /* layers that calls made now may visit: those below the running kernel */
  uint32_t flags;           /* TN_THREAD_* */
  uint32_t default_dtype;   /* tn_dtype that numbers and integer inputs of float operators become; f32 at first */
  tn_device default_device; /* for factories without a device; the host at first */
} tn_thread_state;

TN_EXTERN_C_BEGIN

/* Reads the calling thread's state. */
TN_API void tn_thread_state_get(tn_thread_state *out);
/* Replaces it; `previous` may be null. */
TN_API void tn_thread_state_set(const tn_thread_state *state, tn_thread_state *previous);

/* The layer's bit; 0 when no plugin discovered declares it. */
TN_API uint64_t tn_layer_bit(const char *name);
/* "" for a bit not allotted. */
TN_API const char *tn_layer_name(uint64_t bit);

/* Threads that kernels may use at most, from the config or the number of cores. Changes apply to later calls. */
TN_API int32_t tn_num_threads(void);
TN_API tn_status tn_set_num_threads(int32_t count);

TN_EXTERN_C_END

#endif
