/* base.h - the words every other header uses: versions, dtypes, devices, limits.
 *
 * The contract of all headers in this folder
 *   Language    C99, no include but <stdint.h> and <stddef.h>. Any compiler, no link dependency.
 *   Ownership   `create`, `copy`, `new`, `retain` and every function with an `out` parameter hand the caller one
 *               reference, which a matching `release` or `drop` returns. Everything else is borrowed and lives as
 *               long as the object it was read from. Arguments are borrowed for the duration of the call.
 *   Threads     Any function may be called from any thread. One object may be used from several threads at once as
 *               long as nobody writes it; writing (in-place operators, set_*, resize) needs the caller's own order.
 *   Failure     A function that can fail returns tn_status: null is success, anything else is an error object that
 *               the caller owns (see status.h). On failure `out` parameters are untouched and nothing has changed.
 *   Growth      Cold structs begin with {size, flags}; `size` is written by TN_INIT and members are only ever
 *               appended. Readers ask TN_HAS before they touch a member. Only tn_value's size is frozen; frames,
 *               tensors and plans are allocated by the core and may gain members at their end.
 *   Names       tn_NOUN_VERB. Strings are UTF-8 and null-terminated. Sizes and strides count elements unless a name
 *               says bytes; memory is counted in bytes; time in nanoseconds.
 */
#ifndef TENON_BASE_H
#define TENON_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TN_EXTERN_C_BEGIN extern "C" {
#define TN_EXTERN_C_END }
#else
#define TN_EXTERN_C_BEGIN
#define TN_EXTERN_C_END
#endif

/* Visible outside the library that defines it. */
#define TN_API __attribute__((visibility("default")))

/* The ABI's version, not a product's. A new major may change anything; a new minor only appends. While the major is 0,
 * a minor may still break, and a plugin built for another minor is refused. */
#define TN_ABI_MAJOR 0
#define TN_ABI_MINOR 3

/* Starts a sized struct: `tn_caps caps = TN_INIT(tn_caps);` zeroes it and writes its size. */
#ifdef __cplusplus
#define TN_INIT(T)            \
  [] {                        \
    T initial{};              \
    initial.size = sizeof(T); \
    return initial;           \
  }()
#else
#define TN_INIT(T) \
  { .size = sizeof(T) }
#endif

/* True when the sized struct at `p` is new enough to have member `f`, and the member is set. */
#define TN_HAS(p, f) ((p) != NULL && (p)->size >= offsetof(__typeof__(*(p)), f) + sizeof((p)->f) && (p)->f)

/* Rank of the largest tensor. */
#define TN_MAX_DIMS 64
/* Extents of at most this many dimensions are stored inside the tensor. */
#define TN_INLINE_DIMS 5
/* Alignment in bytes of memory that the core allocates. */
#define TN_ALIGNMENT 64

/* Element types. The numbers are stable; their order carries no meaning. */
typedef enum tn_dtype {
  TN_BOOL = 0, /* one byte, 0 or 1 */
  TN_U8 = 1,
  TN_I8 = 2,
  TN_I16 = 3,
  TN_I32 = 4,
  TN_I64 = 5,
  TN_U16 = 6, /* u16, u32, u64: stored and converted, few operators compute in them */
  TN_U32 = 7,
  TN_U64 = 8,
  TN_F16 = 9,   /* IEEE 754 binary16 */
  TN_BF16 = 10, /* the upper half of an f32 */
  TN_F32 = 11,
  TN_F64 = 12,
  TN_C64 = 13,    /* two f32 */
  TN_C128 = 14,   /* two f64 */
  TN_F8E4M3 = 15, /* finite variant without infinities: stored and converted */
  TN_F8E5M2 = 16,
  TN_DTYPE_NONE = 63
} tn_dtype;

/* A set of dtypes, one bit each. */
#define TN_DTYPE_BIT(dtype) ((uint64_t)1 << (dtype))

/* How elements lie in a tensor. Part of the dispatch key: a kernel never sees a layout it does not name. */
typedef enum tn_layout {
  TN_STRIDED = 0,
  TN_OPAQUE = 1 /* sizes without memory of the core's: wrappers, and contents that only the maker's slots know */
} tn_layout;

typedef enum tn_memory_format {
  TN_CONTIGUOUS = 0,    /* row-major */
  TN_CHANNELS_LAST = 1, /* rank 4, sizes NCHW, strides as if NHWC */
  TN_PRESERVE = 2       /* keep the order of the input's strides where it is dense */
} tn_memory_format;

/* A device: a type allotted by the core when the device is registered, and an index among that type's devices.
 * Layout-identical to DLPack's DLDevice. Types that DLPack knows keep DLPack's number; others start at
 * TN_DEVICE_TYPE_FIRST and depend on what is installed, so files and messages use names, never numbers. */
typedef struct tn_device {
  int32_t type;
  int32_t index;
} tn_device;

#define TN_DEVICE_TYPE_FIRST 4096
/* As an index: the thread's current device of that type. */
#define TN_DEVICE_CURRENT (-1)
/* As a type: no device given, or every device, as the place says. */
#define TN_DEVICE_NONE 0

typedef struct tn_host tn_host;       /* host.h: all that a plugin may call */
typedef struct tn_tensor tn_tensor;   /* tensor.h */
typedef struct tn_storage tn_storage; /* storage.h */
typedef struct tn_op tn_op;           /* operator.h */
typedef struct tn_frame tn_frame;     /* operator.h */
typedef struct tn_plan tn_plan;       /* plan.h */
typedef struct tn_object tn_object;   /* value.h */
typedef struct tn_stream tn_stream;   /* device.h */
typedef struct tn_plugin tn_plugin;   /* plugin.h */
typedef struct tn_error *tn_status;   /* status.h */

TN_EXTERN_C_BEGIN

/* Bytes of one element; 0 for a number that is no dtype. */
TN_API uint32_t tn_dtype_size(tn_dtype dtype);

/* The short name, such as "f32" or "bf16"; "?" for a number that is no dtype. */
TN_API const char *tn_dtype_name(tn_dtype dtype);

/* The smallest dtype that both convert to: category by category (bool < integer < float < complex), then by width,
 * as PyTorch's promote_types. TN_DTYPE_NONE where the two have none (u16..u64 and the f8 types with any other). */
TN_API tn_dtype tn_dtype_promote(tn_dtype a, tn_dtype b);

/* 1 when a result computed as `from` may be stored as `to`: never to a lower category. */
TN_API int32_t tn_dtype_can_cast(tn_dtype from, tn_dtype to);

TN_EXTERN_C_END

#endif
