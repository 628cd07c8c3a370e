/* storage.h - memory that tensors share, and where it comes from.
 *
 * A storage is a reference-counted range of one device's memory. Tensors hold it; programs rarely need it except to
 * ask how much memory there is. Live bytes are counted per device so that tests can prove that nothing leaks.
 */
#ifndef TENON_STORAGE_H
#define TENON_STORAGE_H

#include <tenon/status.h>

/* A snapshot of one device type's allocator, all indices together. */
typedef struct tn_memory_stats {
  uint32_t size;
  uint32_t flags;
  uint64_t live_bytes;     /* handed out and not given back */
  uint64_t live_blocks;    /* in this many pieces */
  uint64_t peak_bytes;     /* the largest live_bytes since start or reset */
  uint64_t reserved_bytes; /* taken from the device: live and cached */
  uint64_t allocations;    /* since start */
} tn_memory_stats;

TN_EXTERN_C_BEGIN

TN_API void tn_storage_retain(tn_storage *storage);
TN_API void tn_storage_release(tn_storage *storage);
TN_API void *tn_storage_data(const tn_storage *storage);
TN_API size_t tn_storage_nbytes(const tn_storage *storage);
TN_API tn_device tn_storage_device(const tn_storage *storage);
TN_API uint32_t tn_storage_use_count(const tn_storage *storage);

/* Fills as many members as stats->size covers. */
TN_API tn_status tn_memory_get_stats(int32_t device_type, tn_memory_stats *stats);
/* Host memory for a plugin's own objects, from the size classes that serve tensors: kept per thread, so that small
 * blocks cost a few nanoseconds. Uninitialised, aligned to TN_ALIGNMENT, not counted as tensors' data. Null without
 * memory. Any thread gives a block back, with the size that it was asked with; null is fine. */
TN_API void *tn_memory_allocate(size_t nbytes);
TN_API void tn_memory_free(void *block, size_t nbytes);
/* Gives cached memory back to the device. */
TN_API tn_status tn_memory_trim(int32_t device_type);

/* Number of tensors alive in the process. */
TN_API uint64_t tn_tensor_live_count(void);

/* Makes the Nth next allocation of host memory or of a core object fail (1 = the next), or every one from then on;
 * nth = 0 ends it. For tests of what happens without memory. */
TN_API void tn_memory_fail(uint64_t nth, int32_t from_then_on);

TN_EXTERN_C_END

#endif
