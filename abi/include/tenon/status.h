/* status.h - errors.
 *
 * Success is null, so the common case costs one comparison. An error object is made only by the core: it outlives the
 * plugin that reported it, and there is one allocator for all of them. The holder owns it and calls
 * tn_status_release, or passes it on to its own caller. A message grows as it climbs: tn_status_annotate adds what
 * only the outer call knows (operator, arguments, provider), tn_status_attach keeps a second failure that happened
 * while cleaning up.
 */
#ifndef TENON_STATUS_H
#define TENON_STATUS_H

#include <tenon/base.h>

typedef enum tn_code {
  TN_OK = 0,
  TN_INVALID_ARGUMENT = 1, /* right type, wrong value: shapes that do not broadcast, an unknown mode */
  TN_TYPE_ERROR = 2,       /* wrong number, kind or dtype of arguments */
  TN_INDEX_ERROR = 3,      /* a dimension or index outside its range */
  TN_RUNTIME_ERROR = 4,    /* a broken precondition: overlap, a changed saved tensor, a second backward */
  TN_NOT_IMPLEMENTED = 5,  /* no kernel, no decomposition */
  TN_NOT_FOUND = 6,        /* no operator, plugin, interface or key of that name; a missing file is TN_IO_ERROR */
  TN_ALREADY_EXISTS = 7,
  TN_OUT_OF_MEMORY = 8,
  TN_DECLINED = 9, /* a provider passes a call on; never reaches a caller */
  TN_DEVICE_LOST = 10,
  TN_IO_ERROR = 11,
  TN_INCOMPATIBLE = 12, /* built for another ABI, or for hardware this machine lacks */
  TN_BUSY = 13,
  TN_INTERNAL = 14 /* a defect of Tenon itself */
} tn_code;

/* Facts about an error beside its code. */
#define TN_ERROR_RETRYABLE 1u /* the same call may succeed later */
#define TN_ERROR_STICKY 2u    /* the device is lost; nothing on it will succeed again */

TN_EXTERN_C_BEGIN

/* Makes an error. `domain` names whose `native_code` it is ("cuda", "errno") or is null; `file` and `line` say where;
 * `format` is printf's. Never fails: without memory it returns the preallocated TN_OUT_OF_MEMORY error. Code TN_OK is
 * answered with a TN_INTERNAL error. */
TN_API tn_status tn_status_make(tn_code code, const char *domain, int64_t native_code, const char *file, int32_t line,
                                const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;

/* The preallocated statuses TN_DECLINED and TN_OUT_OF_MEMORY: no allocation, release is a no-op. */
TN_API tn_status tn_status_declined(void);
TN_API tn_status tn_status_out_of_memory(void);

/* Puts a line before the message ("in add(f32[2], f32[3])"); consumes and returns `status`. */
TN_API tn_status tn_status_annotate(tn_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Keeps `second`, a failure met while handling `first`; consumes both, returns the first. Either may be null. */
TN_API tn_status tn_status_attach(tn_status first, tn_status second);

/* Sets bits of TN_ERROR_*; no-op on null and on the preallocated statuses. */
TN_API void tn_status_set_flags(tn_status status, uint32_t flags);

/* Readers; all accept null as success. Strings live as long as the status. */
TN_API tn_code tn_status_code(tn_status status);
TN_API uint32_t tn_status_flags(tn_status status);
TN_API const char *tn_status_message(tn_status status); /* the whole text; "" for success */
TN_API const char *tn_status_domain(tn_status status);  /* "" where there is none */
TN_API int64_t tn_status_native_code(tn_status status);
TN_API const char *tn_status_file(tn_status status);
TN_API int32_t tn_status_line(tn_status status);

/* "invalid argument", "out of memory", ...: the code in words. */
TN_API const char *tn_code_name(tn_code code);

/* Gives the error back. Null is fine. */
TN_API void tn_status_release(tn_status status);

TN_EXTERN_C_END

#endif
