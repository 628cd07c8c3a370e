#include <tenon/value.h>

#include <cstring>

#include <tenon/status.h>

#include "core/memory.h"
#include "core/tensor.h"

namespace tenon {
namespace {

// Blocks carry their size in front, because a value's holder does not know it.
struct Block {
  size_t size;
  size_t padding;
};

void value_free(const void* memory) {
  if (!memory) return;
  Block* block = static_cast<Block*>(const_cast<void*>(memory)) - 1;
  memory_free(block, block->size);
}

tn_status copy_bytes(const void* source, size_t nbytes, const void** out) {
  void* memory = tn_value_alloc(nbytes);
  if (!memory) return tn_status_out_of_memory();
  if (nbytes) std::memcpy(memory, source, nbytes);
  *out = memory;
  return nullptr;
}

}  // namespace
// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API void* tn_value_alloc(size_t nbytes) {
  if (nbytes > SIZE_MAX - sizeof(Block)) return nullptr;
  auto* block = static_cast<Block*>(memory_allocate(nbytes + sizeof(Block)));
  if (!block) return nullptr;
  block->size = nbytes + sizeof(Block);
  return block + 1;
}

TN_API void tn_value_drop(tn_value* value) {
  switch (value->tag) {
    case TN_TAG_TENSOR:
      tn_tensor_release(value->u.tensor);
      break;
    case TN_TAG_OBJECT:
      tn_object_release(value->u.object);
      break;
    case TN_TAG_TENSORS:
      for (uint32_t i = 0; i < value->len; ++i) tn_tensor_release(value->u.tensors[i]);
      [[fallthrough]];
    case TN_TAG_STRING:
    case TN_TAG_COMPLEX:
    case TN_TAG_INTS:
    case TN_TAG_FLOATS:
    case TN_TAG_BOOLS:
      value_free(value->u.p);
      break;
    default:
      break;
  }
  *value = tn_value{};
}

TN_API tn_status tn_value_copy(const tn_value* value, tn_value* out) {
  tn_value made = *value;
  tn_status status = nullptr;
  switch (value->tag) {
    case TN_TAG_TENSOR:
      tensor_retain(value->u.tensor);
      break;
    case TN_TAG_OBJECT:
      tn_object_retain(value->u.object);
      break;
    case TN_TAG_TENSORS:
      status = copy_bytes(value->u.p, value->len * sizeof(tn_tensor*), &made.u.p);
      if (!status)
        for (uint32_t i = 0; i < value->len; ++i)
          if (value->u.tensors[i]) tensor_retain(value->u.tensors[i]);
      break;
    case TN_TAG_STRING:
      status = copy_bytes(value->u.p, size_t{value->len} + 1, &made.u.p);
      break;
    case TN_TAG_COMPLEX:
      status = copy_bytes(value->u.p, 2 * sizeof(double), &made.u.p);
      break;
    case TN_TAG_INTS:
      status = copy_bytes(value->u.p, value->len * sizeof(int64_t), &made.u.p);
      break;
    case TN_TAG_FLOATS:
      status = copy_bytes(value->u.p, value->len * sizeof(double), &made.u.p);
      break;
    case TN_TAG_BOOLS:
      status = copy_bytes(value->u.p, value->len, &made.u.p);
      break;
    default:
      break;
  }
  if (!status) *out = made;
  return status;
}

TN_API void tn_object_init(tn_object* object, const tn_object_type* type) {
  object->counts = 1;
  object->type = type;
}

TN_API void tn_object_retain(tn_object* object) {
  __atomic_fetch_add(&object->counts, 1, __ATOMIC_RELAXED);
}

TN_API void tn_object_release(tn_object* object) {
  if (object && __atomic_sub_fetch(&object->counts, 1, __ATOMIC_ACQ_REL) == 0)
    object->type->destroy(object);
}

}  // extern "C"

}  // namespace tenon
