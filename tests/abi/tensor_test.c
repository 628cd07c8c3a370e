#include "check.h"

static int released = 0;
static void release(void* context) {
  *(int*)context += 1;
}

static int slots_destroyed = 0;
static void slot_destroy(void* value) {
  (void)value;
  ++slots_destroyed;
}
static const tn_slot_type kSlot = {
    .size = sizeof(tn_slot_type), .name = "test", .destroy = slot_destroy};

static void life(void) {
  tn_tensor* a = counting(0, 3, -1);
  CHECK(tn_tensor_retain(a) == a && tn_tensor_use_count(a) == 2);
  tn_tensor_release(a);
  tn_tensor_weak_retain(a);
  tn_tensor* locked = tn_tensor_lock(a);
  CHECK(locked == a);
  tn_tensor_release(locked);
  tn_tensor_release(a);
  CHECK(tn_tensor_lock(a) == NULL);
  tn_tensor_weak_release(a);
  tn_tensor_release(NULL);
}

static void views(void) {
  tn_tensor *a = counting(0, 2, 3), *v = NULL, *shallow = NULL;
  const int64_t sizes[] = {3, 2}, strides[] = {1, 3};
  OK(tn_tensor_view(a, 2, sizes, strides, 0, TN_F32, TN_ALIAS_MULTI_OUTPUT, &v));
  CHECK(tn_tensor_root(v) == a && tn_tensor_root(a) == NULL);
  CHECK(tn_tensor_alias_flags(v) & TN_ALIAS_MULTI_OUTPUT);
  CHECK(v->flags & TN_TENSOR_VIEW && v->flags & TN_TENSOR_DENSE &&
        !(v->flags & TN_TENSOR_CONTIGUOUS));
  const uint64_t version = tn_tensor_version(a);
  tn_tensor_bump_version(v);
  CHECK(tn_tensor_version(a) == version + 1);
  char text[32];
  CHECK(tn_tensor_describe(v, text, sizeof text) == 12 && !strcmp(text, "f32[3,2]@cpu"));
  CHECK(tn_tensor_describe(v, text, 4) == 12 && !strcmp(text, "f32"));
  float out[6];
  OK(tn_tensor_read(v, out, sizeof out));
  CHECK(out[1] == 3 && out[2] == 1);
  FAILS(tn_tensor_read(v, out, 4), TN_INVALID_ARGUMENT, "24 bytes");
  const float in[6] = {9, 8, 7, 6, 5, 4};
  OK(tn_tensor_write(v, in, sizeof in));
  CHECK(((float*)a->dl.data)[3] == 8);
  OK(tn_tensor_shallow(v, &shallow));
  CHECK(tn_tensor_root(shallow) == NULL && shallow->storage == a->storage);
  OK(tn_tensor_set_root(shallow, a, 0));
  CHECK(tn_tensor_root(shallow) == a);
  OK(tn_tensor_set_root(shallow, NULL, 0));
  tn_tensor_release(shallow);
  const int64_t beyond[] = {7};
  FAILS(tn_tensor_view(a, 1, beyond, strides, 0, TN_F32, 0, &shallow), TN_INVALID_ARGUMENT,
        "24 bytes");
  const int64_t flat[] = {2}, step[] = {2};
  OK(tn_tensor_restride(v, 1, flat, step, 1));
  CHECK(tn_tensor_storage_offset(v) == 1 && v->numel == 2);
  tn_tensor_release(v);
  tn_tensor_release(a);
}

static void changing(void) {
  tn_tensor *a = counting(0, 2, -1), *b = counting(5, 3, -1);
  const int64_t larger[] = {4, 4};
  OK(tn_tensor_resize(a, 2, larger));
  CHECK(a->numel == 16 && ((float*)a->dl.data)[1] == 1);
  OK(tn_tensor_set_data(a, b));
  CHECK(a->numel == 3 && a->storage == b->storage);
  tn_tensor_set_layers(a, 4, 1);
  CHECK(a->layers == 4);
  tn_tensor_set_layers(a, 4, 0);
  CHECK(a->layers == 0);
  tn_tensor_set_flags(a, TN_TENSOR_INFERENCE | TN_TENSOR_CONTIGUOUS, 1);
  CHECK(a->flags & TN_TENSOR_INFERENCE);
  tn_tensor_set_flags(a, TN_TENSOR_INFERENCE | TN_TENSOR_CONTIGUOUS, 0);
  CHECK(!(a->flags & TN_TENSOR_INFERENCE) && a->flags & TN_TENSOR_CONTIGUOUS);
  tn_tensor_release(a);
  tn_tensor_release(b);
}

static void converting(void) {
  tn_tensor *a = counting(1.5f, 2, 2), *b = NULL, *c = NULL;
  OK(tn_tensor_cast(a, TN_I32, &b));
  CHECK(b->dtype == TN_I32 && ((int32_t*)b->dl.data)[3] == 4);
  OK(tn_tensor_copy(a, b));
  CHECK(((float*)a->dl.data)[0] == 1);
  OK(tn_tensor_to(b, cpu(), TN_I32, &c));
  CHECK(c == b);
  tn_tensor_release(c);
  OK(tn_tensor_contiguous(a, TN_CONTIGUOUS, &c));
  CHECK(c == a);
  tn_tensor_release(c);
  /* C may pass any number as an enumeration; 2^16 more than a dtype is not that dtype. */
  FAILS(tn_tensor_cast(a, (tn_dtype)99, &c), TN_TYPE_ERROR, "99");
  FAILS(tn_tensor_to(a, cpu(), (tn_dtype)(65536 + TN_I32), &c), TN_TYPE_ERROR, "dtype");
  FAILS(tn_tensor_to(a, cpu(), (tn_dtype)-1, &c), TN_TYPE_ERROR, "dtype");
  FAILS(tn_tensor_contiguous(a, (tn_memory_format)9, &c), TN_INVALID_ARGUMENT, "format 9");
  tn_value item = {0};
  FAILS(tn_tensor_item(a, &item), TN_RUNTIME_ERROR, "4 elements");
  tn_tensor_release(b);
  tn_tensor_release(a);
  a = counting(7, -1, -1);
  OK(tn_tensor_item(a, &item));
  CHECK(item.tag == TN_TAG_FLOAT && item.u.f == 7);
  tn_tensor_release(a);
}

static void foreign(void) {
  static float data[3] = {1, 2, 3};
  tn_meta meta = {.device = cpu(), .dtype = TN_F32, .ndim = 1, .sizes = {3}};
  tn_tensor *a = NULL, *b = NULL;
  OK(tn_tensor_from_memory(&meta, data, sizeof data, release, &released, &a));
  CHECK(a->dl.data == data);
  void* managed = NULL;
  OK(tn_tensor_to_dlpack(a, &managed));
  OK(tn_tensor_from_dlpack(managed, &b));
  CHECK(b->dl.data == data && b->dl.byte_offset == 0);
  tn_tensor_release(a);
  CHECK(released == 0);
  tn_tensor_release(b);
  CHECK(released == 1);
}

static void slots(void) {
  uint32_t slot = 0;
  int one = 1, two = 2;
  OK(tn_slot_register(&kSlot, &slot));
  tn_tensor* a = counting(0, 1, -1);
  CHECK(tn_tensor_slot(a, slot) == NULL);
  OK(tn_tensor_set_slot(a, slot, &one));
  CHECK(tn_tensor_slot(a, slot) == &one);
  OK(tn_tensor_set_slot(a, slot, &two));
  CHECK(slots_destroyed == 1);
  tn_tensor_release(a);
  CHECK(slots_destroyed == 2);
}

void test_tensor(void) {
  life();
  views();
  changing();
  converting();
  foreign();
  slots();
}

void test_storage(void) {
  tn_memory_stats before = TN_INIT(tn_memory_stats), after = TN_INIT(tn_memory_stats);
  OK(tn_memory_get_stats(cpu().type, &before));
  tn_tensor* a = counting(0, 1000, 1000);
  tn_storage* s = a->storage;
  CHECK(tn_storage_nbytes(s) == 4000000 && tn_storage_data(s) == a->dl.data);
  CHECK(tn_storage_device(s).type == cpu().type && tn_storage_use_count(s) == 1);
  OK(tn_memory_get_stats(cpu().type, &after));
  CHECK(after.live_bytes == before.live_bytes + 4000000 &&
        after.live_blocks == before.live_blocks + 1);
  CHECK(after.peak_bytes >= after.live_bytes && after.reserved_bytes >= after.live_bytes);
  CHECK(tn_tensor_live_count() == 1);
  tn_storage_retain(s);
  tn_tensor_release(a);
  CHECK(tn_storage_use_count(s) == 1);
  tn_storage_release(s);
  OK(tn_memory_get_stats(cpu().type, &after));
  CHECK(after.live_bytes == before.live_bytes);
  const uint64_t reserved = after.reserved_bytes;
  OK(tn_memory_trim(cpu().type));
  OK(tn_memory_get_stats(cpu().type, &after));
#ifndef TENON_SYSTEM_BLOCKS /* which keeps nothing */
  CHECK(after.reserved_bytes + 4000000 <= reserved);
#endif
  CHECK(after.reserved_bytes >= after.live_bytes && after.reserved_bytes <= reserved);

  tn_meta meta = {.device = cpu(), .dtype = TN_F32, .ndim = 1, .sizes = {1000}};
  tn_memory_fail(1, 0);
  FAILS(tn_tensor_empty(&meta, &a), TN_OUT_OF_MEMORY, "");
  OK(tn_tensor_empty(&meta, &a));
  tn_tensor_release(a);
  tn_memory_fail(1, 1);
  FAILS(tn_tensor_empty(&meta, &a), TN_OUT_OF_MEMORY, "");
  FAILS(tn_tensor_empty(&meta, &a), TN_OUT_OF_MEMORY, "");
  CHECK(tn_memory_allocate(100) == NULL);
  tn_memory_fail(0, 0);

  OK(tn_memory_get_stats(cpu().type, &before));
  char* block = tn_memory_allocate(100);
  CHECK(block && (uintptr_t)block % TN_ALIGNMENT == 0);
  memset(block, 1, 100);
  OK(tn_memory_get_stats(cpu().type, &after));
  CHECK(after.live_bytes == before.live_bytes);
  tn_memory_free(block, 100);
  char* again = tn_memory_allocate(90);
#ifndef TENON_SYSTEM_BLOCKS
  CHECK(again == block); /* the same size class */
#endif
  tn_memory_free(again, 90);
  tn_memory_free(NULL, 0);
}
