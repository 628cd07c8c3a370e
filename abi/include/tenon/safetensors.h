/* safetensors.h - the interface "tenon.safetensors" version 1: weights files.
 *
 * The format is an 8-byte little-endian header length, a JSON header of names, dtypes, shapes and byte ranges, then the
 * data (github.com/huggingface/safetensors). Files are mapped and tensors refer to the mapping, copy on write. Writing
 * goes to a temporary file in the same folder that replaces the target once it is complete and synced, so that a crash
 * or a full disk leaves the old file as it was. Malformed files are refused with the reason and the place.
 */
#ifndef TENON_SAFETENSORS_H
#define TENON_SAFETENSORS_H

#include <tenon/host.h>

#define TN_SAFETENSORS_INTERFACE "tenon.safetensors"

typedef struct tn_safetensors_file tn_safetensors_file;

typedef struct tn_safetensors {
  uint32_t size;
  uint32_t flags;
  tn_status (*open)(const char *path, tn_safetensors_file **out);
  void (*close)(tn_safetensors_file *file); /* tensors read from it stay valid */
  size_t (*count)(const tn_safetensors_file *file);
  const char *(*name)(const tn_safetensors_file *file, size_t index); /* in order of data; null past the end */
  /* A tensor on the host over the mapped file, owned by the caller. Error: no tensor of that name, names that are
   * close. */
  tn_status (*get)(tn_safetensors_file *file, const char *name, tn_tensor **out);
  /* Text metadata: value for `key`, borrowed; null when there is none. */
  const char *(*metadata)(const tn_safetensors_file *file, const char *key);
  /* Writes `count` tensors (copied to the host and made contiguous where needed) and npairs of metadata. */
  tn_status (*save)(const char *path, const char *const *names, tn_tensor *const *tensors, size_t count,
                    const char *const *keys, const char *const *values, size_t npairs);
} tn_safetensors;

#endif
