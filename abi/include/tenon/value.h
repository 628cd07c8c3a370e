/* value.h - the tagged value that arguments and results are made of.
 *
 * 16 bytes, a frozen size. Scalars keep their own tag. Lists and strings are pointer and length, borrowed. Arguments
 * are borrowed; results are owned by the caller: one reference per tensor or object, and lists, strings and complex
 * numbers that live in memory of tn_value_alloc, all of which tn_value_drop gives back.
 */
#ifndef TENON_VALUE_H
#define TENON_VALUE_H

#include <tenon/base.h>

typedef enum tn_tag {
  TN_TAG_NONE = 0, /* an absent optional */
  TN_TAG_TENSOR = 1,
  TN_TAG_INT = 2,
  TN_TAG_FLOAT = 3,
  TN_TAG_BOOL = 4,
  TN_TAG_COMPLEX = 5,        /* u.floats points to two doubles */
  TN_TAG_STRING = 6,         /* u.str, null-terminated, len without the null */
  TN_TAG_DTYPE = 7,          /* u.i is a tn_dtype */
  TN_TAG_DEVICE = 8,         /* u.device */
  TN_TAG_LAYOUT = 9,         /* u.i is a tn_layout */
  TN_TAG_MEMORY_FORMAT = 10, /* u.i is a tn_memory_format */
  TN_TAG_INTS = 11,          /* u.ints, len */
  TN_TAG_FLOATS = 12,        /* u.floats, len */
  TN_TAG_BOOLS = 13,         /* u.bools, len, one byte each */
  TN_TAG_TENSORS = 14,       /* u.tensors, len; null entries where the schema says Tensor?[] */
  TN_TAG_OBJECT = 15,        /* u.object: generators, process groups, packed weights, vendors' things */
  TN_TAG_SYMINT = 16         /* reserved */
} tn_tag;

typedef struct tn_value {
  uint16_t tag;
  uint16_t flags; /* reserved, 0 */
  uint32_t len;
  union {
    int64_t i; /* also bool, as 0 or 1 */
    double f;
    tn_device device;
    tn_tensor *tensor;
    tn_object *object;
    const int64_t *ints;
    const double *floats;
    const uint8_t *bools;
    tn_tensor *const *tensors;
    const char *str;
    const void *p;
    uint64_t bits;
  } u;
} tn_value;

/* The one door for things that are no tensors. `counts` is the core's; `type` says what it is and how it dies. */
typedef struct tn_object_type {
  uint32_t size;
  uint32_t flags;
  const char *name; /* "tenon.generator", "acme.packed_weight" */
  void (*destroy)(tn_object *object);
} tn_object_type;

struct tn_object {
  uint64_t counts;
  const tn_object_type *type;
};

TN_EXTERN_C_BEGIN

/* Memory for a result's list, string or complex number, freed by tn_value_drop. Null when there is none left. */
TN_API void *tn_value_alloc(size_t nbytes);

/* Releases what an owned value holds and sets it to none. */
TN_API void tn_value_drop(tn_value *value);

/* Makes `out` an owned copy of a borrowed value: references are retained, lists, strings and complex numbers copied. */
TN_API tn_status tn_value_copy(const tn_value *value, tn_value *out);

/* Starts an object's life with one reference. */
TN_API void tn_object_init(tn_object *object, const tn_object_type *type);
TN_API void tn_object_retain(tn_object *object);
TN_API void tn_object_release(tn_object *object); /* null is fine */

TN_EXTERN_C_END

#endif
