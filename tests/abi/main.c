/* Every exported function of libtenon, called from C99. A function that no file here calls fails
 * the test abi.every_function_is_called. */
#include "check.h"

int checks_failed = 0;
int checks_made = 0;

tn_device cpu(void) {
  tn_device device;
  OK(tn_device_parse("cpu", &device));
  return device;
}

tn_tensor* counting(float first, int64_t size0, int64_t size1) {
  tn_meta meta = {.device = cpu(), .dtype = TN_F32};
  if (size0 >= 0) meta.sizes[meta.ndim++] = size0;
  if (size1 >= 0) meta.sizes[meta.ndim++] = size1;
  tn_tensor* t = NULL;
  OK(tn_tensor_empty(&meta, &t));
  for (int64_t i = 0; i < t->numel; ++i) ((float*)t->dl.data)[i] = first + (float)i;
  return t;
}

tn_value tensor_value(tn_tensor* tensor) {
  tn_value v = {.tag = TN_TAG_TENSOR, .u.tensor = tensor};
  return v;
}

tn_value int_value(int64_t i) {
  tn_value v = {.tag = TN_TAG_INT, .u.i = i};
  return v;
}

int main(void) {
  test_config();
  test_dtype();
  test_status();
  test_value();
  test_schema();
  test_tensor();
  test_storage();
  test_operator();
  test_thread();
  test_device();
  test_plugin();
  test_random();
  test_explain();
  CHECK(tn_tensor_live_count() == 0);
  printf("%d checks, %d failed\n", checks_made, checks_failed);
  return checks_failed != 0;
}
