/* tensor.h - tensors: metadata that can be read in place, everything else through functions.
 *
 * A tensor is geometry over a storage. The fields printed here are readable by anyone who holds a reference and are
 * written by the core alone. Readers go through dl.shape and dl.strides: where those arrays live is private. What
 * evolves (version counter, extension slots, alias record) stays behind functions.
 *
 * Views and aliases. A view made by tn_tensor_view remembers its root, which is never a view itself, so chains do not
 * grow. tn_tensor_shallow shares storage and version but remembers nothing; `detach` is that.
 *
 * Versions. Tensors that share memory through views, detach or shallow share one version counter; every in-place
 * operator bumps it once it has written. tn_tensor_set_data starts a new one.
 */
#ifndef TENON_TENSOR_H
#define TENON_TENSOR_H

#include <tenon/status.h>
#include <tenon/value.h>

/* Layout-identical to DLPack's DLDataType. */
typedef struct tn_dldtype {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} tn_dldtype;

/* Layout-identical to DLPack's DLTensor. `data` points at the first element and byte_offset is always 0. strides are
 * never null and count elements. */
typedef struct tn_dltensor {
  void *data;
  tn_device device;
  int32_t ndim;
  tn_dldtype dtype;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
} tn_dltensor;

/* Facts kept up to date in tn_tensor.flags. */
#define TN_TENSOR_CONTIGUOUS 1u    /* row-major and dense; empty and 0-dim tensors are */
#define TN_TENSOR_CHANNELS_LAST 2u /* rank 4 and dense in NHWC order */
#define TN_TENSOR_DENSE 4u         /* some permutation of the dimensions is row-major and dense */
#define TN_TENSOR_VIEW 8u          /* has an alias record */
#define TN_TENSOR_INFERENCE 16u    /* made in inference mode: never recorded, no version tracking promised */
#define TN_TENSOR_TRACKED 32u      /* a view whose root's layers count as its own in dispatch: on from the start */
#define TN_TENSOR_WRAPPED 64u      /* 0-dim tensor that stands for a number: does not take part in promotion */

struct tn_tensor {
  uint64_t counts; /* strong and weak references: only through retain and release */
  tn_dltensor dl;
  uint32_t flags;  /* TN_TENSOR_* */
  uint16_t layout; /* tn_layout */
  uint16_t dtype;  /* tn_dtype */
  int64_t numel;
  uint64_t layers;     /* the layers that have work with this tensor */
  tn_storage *storage; /* borrowed; its data is null for a tensor without memory */
  /* private members of the core follow */
};

/* In tn_meta.flags, from an infer function, with dtype TN_DTYPE_NONE: the kernel makes this result (a workspace, packed
 * state), and only its provider's kernels ever see the tensor. */
#define TN_META_PROVIDER_DEFINED 1u

/* What a tensor to be made looks like; also what infer functions answer. */
typedef struct tn_meta {
  tn_device device;
  uint16_t dtype;
  uint16_t layout;
  uint16_t memory_format; /* tn_memory_format, read only when has_strides is 0 */
  uint16_t has_strides;
  int32_t ndim;
  uint32_t flags; /* TN_META_*; 0 for a tensor to be made */
  int64_t sizes[TN_MAX_DIMS];
  int64_t strides[TN_MAX_DIMS];
} tn_meta;

/* How a view was made, kept in its alias record. */
#define TN_ALIAS_NO_GRAD 1u      /* while gradients were disabled */
#define TN_ALIAS_MULTI_OUTPUT 2u /* one of several results of one call */

/* Callbacks of one registrant's slot. `value` is what tn_tensor_set_slot stored. Called with no lock held. */
typedef struct tn_slot_type {
  uint32_t size;
  uint32_t flags;
  const char *name;
  /* The tensor dies, or the slot is overwritten. Required. */
  void (*destroy)(void *value);
  /* The last strong reference went, before anything is torn down; returns 1 after retaining the tensor to keep it. */
  int32_t (*resurrect)(void *value, tn_tensor *tensor);
} tn_slot_type;

TN_EXTERN_C_BEGIN

/* ---- life ------------------------------------------------------------------------------------------------------ */

TN_API tn_tensor *tn_tensor_retain(tn_tensor *tensor); /* returns its argument */
TN_API void tn_tensor_release(tn_tensor *tensor);      /* null is fine; never recursive */
TN_API uint32_t tn_tensor_use_count(const tn_tensor *tensor);

/* A weak reference keeps the address, not the contents. lock returns an owned reference, or null once it is dead. */
TN_API void tn_tensor_weak_retain(tn_tensor *tensor);
TN_API void tn_tensor_weak_release(tn_tensor *tensor);
TN_API tn_tensor *tn_tensor_lock(tn_tensor *tensor);

/* ---- making ---------------------------------------------------------------------------------------------------- */

/* Uninitialised memory of the given form, or none when the layout is another than strided. Errors: negative or
 * overflowing sizes, unknown device or layout, no memory. */
TN_API tn_status tn_tensor_empty(const tn_meta *meta, tn_tensor **out);

/* A tensor over foreign memory: `meta` with strides in elements or row-major. `nbytes` counts from `data`; every
 * element must lie inside. `release(context)` runs once when the last tensor over it dies, and not on failure. */
TN_API tn_status tn_tensor_from_memory(const tn_meta *meta, void *data, size_t nbytes, void (*release)(void *context),
                                       void *context, tn_tensor **out);

/* The one view primitive. Geometry in elements relative to the storage's start; `dtype` may differ from the base's
 * if the geometry stays inside. The view shares storage and version and records its root. */
TN_API tn_status tn_tensor_view(tn_tensor *base, int32_t ndim, const int64_t *sizes, const int64_t *strides,
                                int64_t storage_offset, tn_dtype dtype, uint32_t alias_flags, tn_tensor **out);

/* Shares storage, geometry and version; no alias record, no slots, no layers. */
TN_API tn_status tn_tensor_shallow(tn_tensor *tensor, tn_tensor **out);

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* Elements between the storage's start and the first element. */
TN_API int64_t tn_tensor_storage_offset(const tn_tensor *tensor);
TN_API uint64_t tn_tensor_version(const tn_tensor *tensor);
/* The tensor this is a view of, borrowed; null when it is no view. */
TN_API tn_tensor *tn_tensor_root(const tn_tensor *tensor);
TN_API uint32_t tn_tensor_alias_flags(const tn_tensor *tensor);
/* Writes "f32[2,3]@cpu" into `buffer` as snprintf does; returns the length it needs. */
TN_API int32_t tn_tensor_describe(const tn_tensor *tensor, char *buffer, size_t capacity);
/* The only element as int, float, bool or complex (owned: drop it). Error: numel is not 1. */
TN_API tn_status tn_tensor_item(tn_tensor *tensor, tn_value *out);
/* Copies all elements in row-major order to or from host memory of exactly numel * element bytes. */
TN_API tn_status tn_tensor_read(tn_tensor *tensor, void *buffer, size_t nbytes);
TN_API tn_status tn_tensor_write(tn_tensor *tensor, const void *buffer, size_t nbytes);

/* ---- changing -------------------------------------------------------------------------------------------------- */

/* New extents; memory grows when needed and old elements keep their storage positions. Not for views' roots in use. */
TN_API tn_status tn_tensor_resize(tn_tensor *tensor, int32_t ndim, const int64_t *sizes);
/* New geometry over the same storage, for in-place view operators. */
TN_API tn_status tn_tensor_restride(tn_tensor *tensor, int32_t ndim, const int64_t *sizes, const int64_t *strides,
                                    int64_t storage_offset);
/* Takes over storage, geometry, dtype and device of `source` and starts a new version counter; slots stay. */
TN_API tn_status tn_tensor_set_data(tn_tensor *tensor, tn_tensor *source);
TN_API void tn_tensor_bump_version(tn_tensor *tensor);
/* Puts the layers' bits on or takes them off. */
TN_API void tn_tensor_set_layers(tn_tensor *tensor, uint64_t layers, int32_t on);
/* Sets or clears TN_TENSOR_TRACKED, TN_TENSOR_WRAPPED or TN_TENSOR_INFERENCE; other bits are the core's. */
TN_API void tn_tensor_set_flags(tn_tensor *tensor, uint32_t flags, int32_t on);
/* Makes `view` a view of `root` in the alias record's sense; null takes the record off. */
TN_API tn_status tn_tensor_set_root(tn_tensor *view, tn_tensor *root, uint32_t alias_flags);

/* ---- converting: through the operators bound to the roles "copy" and "cast" -------------------------------------- */

/* `out` is the tensor itself, retained, when it already has the wanted form. */
TN_API tn_status tn_tensor_contiguous(tn_tensor *tensor, tn_memory_format format, tn_tensor **out);
TN_API tn_status tn_tensor_cast(tn_tensor *tensor, tn_dtype dtype, tn_tensor **out);
/* Any device, any dtype; a copy only where needed. */
TN_API tn_status tn_tensor_to(tn_tensor *tensor, tn_device device, tn_dtype dtype, tn_tensor **out);
/* Writes `source` broadcast and converted into `target`; devices may differ. Bumps target's version. */
TN_API tn_status tn_tensor_copy(tn_tensor *target, tn_tensor *source);

/* ---- extension slots ------------------------------------------------------------------------------------------- */

/* Allots a slot to a registrant; `type` must outlive the process. */
TN_API tn_status tn_slot_register(const tn_slot_type *type, uint32_t *slot);
/* Null when nothing was stored. */
TN_API void *tn_tensor_slot(const tn_tensor *tensor, uint32_t slot);
/* Stores a value; a previous one is destroyed. Null empties the slot. */
TN_API tn_status tn_tensor_set_slot(tn_tensor *tensor, uint32_t slot, void *value);

/* ---- exchange -------------------------------------------------------------------------------------------------- */

/* DLPack's DLManagedTensorVersioned (1.x), as void* so that no foreign header is needed. */
TN_API tn_status tn_tensor_to_dlpack(tn_tensor *tensor, void **managed);
/* Consumes `managed` on success. Errors: another DLPack major, a dtype or device Tenon lacks, a lane count not 1. */
TN_API tn_status tn_tensor_from_dlpack(void *managed, tn_tensor **out);

TN_EXTERN_C_END

#endif
