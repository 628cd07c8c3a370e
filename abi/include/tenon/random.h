/* random.h - random numbers: Philox 4x32-10, a counter-based generator (Salmon et al., SC 2011).
 *
 * A generator is a seed and an offset into the stream that the seed defines. A kernel reserves a range of counters and
 * computes its numbers from them, so the same seed gives the same numbers on every device and with any thread count.
 */
#ifndef TENON_RANDOM_H
#define TENON_RANDOM_H

#include <tenon/status.h>
#include <tenon/value.h>

/* What a random kernel works from. Counter block `offset + i` gives the i-th four 32-bit words. When `device_state` is
 * not null, it points to {seed, offset} in device memory that is to be read when the kernel runs (captured graphs). */
typedef struct tn_philox {
  uint64_t seed;
  uint64_t offset;
  const uint64_t *device_state;
} tn_philox;

TN_EXTERN_C_BEGIN

/* A generator object for `device`, seeded with `seed`. */
TN_API tn_status tn_generator_create(tn_device device, uint64_t seed, tn_object **out);
/* Of a generator, or with null of the default generator of `device`. */
TN_API tn_status tn_generator_seed(tn_object *generator, tn_device device, uint64_t seed);
TN_API tn_status tn_generator_get_state(tn_object *generator, tn_device device, uint64_t *seed, uint64_t *offset);
TN_API tn_status tn_generator_set_state(tn_object *generator, tn_device device, uint64_t seed, uint64_t offset);
/* Reserves `blocks` counter blocks for a kernel. Error: `generator` is an object of another type or device. */
TN_API tn_status tn_generator_reserve(tn_object *generator, tn_device device, uint64_t blocks, tn_philox *out);
/* Seeds the default generators of all devices, present and to come. */
TN_API void tn_manual_seed(uint64_t seed);

TN_EXTERN_C_END

#endif
