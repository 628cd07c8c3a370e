/* device.h - device types and what a device plugin supplies for one.
 *
 * A plugin registers a device type with a table of raw functions; null entries mean the core's default, or an error
 * that says what the device lacks, never a silent no-op. Pointers are opaque to the core except on devices whose memory
 * the host can access. Every entry may be called from any thread. `state` is the registration's. Indices run from 0.
 */
#ifndef TENON_DEVICE_H
#define TENON_DEVICE_H

#include <tenon/status.h>

typedef struct tn_event tn_event;

#define TN_DEVICE_HOST 1u    /* the host itself: its memory is ordinary memory. One type only. */
#define TN_DEVICE_NO_DATA 2u /* tensors have no memory; operators stop after inferring */

typedef struct tn_device_properties {
  uint32_t size;
  uint32_t flags;
  char name[128]; /* as the vendor prints it */
  char arch[64];
  uint64_t memory_bytes;
  int32_t compute_units;
  int32_t reserved;
} tn_device_properties;

typedef struct tn_device_vtable {
  uint32_t size;
  uint32_t flags;      /* TN_DEVICE_* */
  const char *name;    /* "acme" */
  int32_t dlpack_type; /* DLPack's number for it; 0: the core allots one */
  int32_t reserved;
  void *state;

  /* required */
  tn_status (*count)(void *state, int32_t *out);
  /* optional: nothing is known but the name */
  tn_status (*properties)(void *state, int32_t index, tn_device_properties *out);
  /* optional: the device has no notion of a current one */
  tn_status (*set_current)(void *state, int32_t index);

  /* memory; optional on the host, where the core has an allocator, and without data */
  tn_status (*allocate)(void *state, int32_t index, size_t nbytes, void **out);
  void (*free)(void *state, int32_t index, void *data, size_t nbytes);
  tn_status (*allocate_pinned)(void *state, size_t nbytes, void **out); /* optional: ordinary host memory */
  void (*free_pinned)(void *state, void *data, size_t nbytes);
  tn_status (*memory_info)(void *state, int32_t index, uint64_t *free_bytes, uint64_t *total_bytes);

  /* moving bytes; a null stream is the default one. To and from the host: required unless TN_DEVICE_HOST or
   * TN_DEVICE_NO_DATA. */
  tn_status (*copy_from_host)(void *state, int32_t index, void *target, const void *source, size_t nbytes, tn_stream *);
  tn_status (*copy_to_host)(void *state, int32_t index, void *target, const void *source, size_t nbytes, tn_stream *);
  /* optional: through the host */
  tn_status (*copy_within)(void *state, int32_t index, void *target, const void *source, size_t nbytes, tn_stream *);
  tn_status (*copy_peer)(void *state, int32_t to, void *target, int32_t from, const void *source, size_t nbytes,
                         tn_stream *);
  tn_status (*set_bytes)(void *state, int32_t index, void *target, int32_t value, size_t nbytes, tn_stream *);

  /* streams and events; all null on a synchronous device */
  tn_status (*stream_create)(void *state, int32_t index, int32_t priority, tn_stream **out);
  void (*stream_destroy)(void *state, tn_stream *);
  tn_status (*stream_query)(void *state, tn_stream *, int32_t *done);
  tn_status (*stream_synchronize)(void *state, tn_stream *);
  tn_status (*stream_wait_event)(void *state, tn_stream *, tn_event *);
  tn_status (*event_create)(void *state, int32_t index, uint32_t flags, tn_event **out);
  void (*event_destroy)(void *state, tn_event *);
  tn_status (*event_record)(void *state, tn_event *, tn_stream *);
  tn_status (*event_query)(void *state, tn_event *, int32_t *done);
  tn_status (*event_synchronize)(void *state, tn_event *);
  tn_status (*event_elapsed)(void *state, tn_event *start, tn_event *end, uint64_t *nanoseconds);
  /* waits for all work on one device; optional on a synchronous device */
  tn_status (*synchronize)(void *state, int32_t index);
} tn_device_vtable;

TN_EXTERN_C_BEGIN

/* The type's number; loads the plugin that provides it. Error: no plugin does, or it could not be loaded and why. */
TN_API tn_status tn_device_find(const char *name, int32_t *type);
/* Parses "cuda", "cuda:1"; index TN_DEVICE_CURRENT is resolved to the current one. */
TN_API tn_status tn_device_parse(const char *text, tn_device *out);
/* "?" for a number never allotted. */
TN_API const char *tn_device_name(int32_t type);
TN_API tn_status tn_device_count(int32_t type, int32_t *out);
TN_API tn_status tn_device_get_properties(tn_device device, tn_device_properties *out);
TN_API tn_status tn_device_synchronize(tn_device device);
/* The flags of its vtable; 0 for an unknown type. */
TN_API uint32_t tn_device_flags(int32_t type);
/* The device type with TN_DEVICE_HOST; error that says how to get one when no plugin provides it. */
TN_API tn_status tn_device_host(tn_device *out);

/* From a plugin's entry. `vtable` must live as long as the plugin. */
TN_API tn_status tn_register_device(tn_plugin *plugin, const tn_device_vtable *vtable);

TN_EXTERN_C_END

#endif
