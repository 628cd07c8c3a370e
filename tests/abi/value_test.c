#include "check.h"

static int destroyed = 0;
static void destroy(tn_object* object) {
  ++destroyed;
  free(object);
}
static const tn_object_type kType = {
    .size = sizeof(tn_object_type), .name = "test.object", .destroy = destroy};

static void object_life(void) {
  tn_object* object = malloc(sizeof *object);
  tn_object_init(object, &kType);
  tn_object_retain(object);
  tn_value held = {.tag = TN_TAG_OBJECT, .u.object = object}, copy;
  OK(tn_value_copy(&held, &copy));
  tn_object_release(object);
  tn_value_drop(&copy);
  CHECK(destroyed == 0);
  tn_object_release(object);
  CHECK(destroyed == 1);
  tn_object_release(NULL);
}

void test_value(void) {
  CHECK(sizeof(tn_value) == 16);
  object_life();

  const int64_t ints[] = {4, 5};
  tn_value list = {.tag = TN_TAG_INTS, .len = 2, .u.ints = ints}, copy;
  OK(tn_value_copy(&list, &copy));
  CHECK(copy.u.ints != ints && copy.u.ints[1] == 5 && copy.len == 2);
  tn_value_drop(&copy);
  CHECK(copy.tag == TN_TAG_NONE);

  tn_tensor* a = counting(0, 2, -1);
  tn_tensor* pair[] = {a, NULL};
  tn_value tensors = {.tag = TN_TAG_TENSORS, .len = 2, .u.tensors = pair};
  OK(tn_value_copy(&tensors, &copy));
  CHECK(tn_tensor_use_count(a) == 2);
  tn_value_drop(&copy);
  CHECK(tn_tensor_use_count(a) == 1);
  tn_tensor_release(a);

  double* parts = tn_value_alloc(2 * sizeof(double));
  parts[0] = 1;
  parts[1] = -1;
  tn_value complex = {.tag = TN_TAG_COMPLEX, .u.floats = parts};
  tn_value_drop(&complex);
  CHECK(tn_value_alloc(SIZE_MAX) == NULL);
}
