/* The program that docs/errors.md quotes: a call that fails. */
#include <stdio.h>

#include <tenon/tenon.h>

static tn_tensor* vector(int64_t size) {
  tn_meta form = {.dtype = TN_F32, .ndim = 1, .sizes = {size}};
  tn_tensor* out = NULL;
  tn_status_release(tn_device_parse("cpu", &form.device));
  tn_status_release(tn_tensor_empty(&form, &out));
  return out;
}

int main(void) {
  const tn_op* add = NULL;
  tn_value args[2] = {{.tag = TN_TAG_TENSOR}, {.tag = TN_TAG_TENSOR}}, sum = {0};
  tn_status_release(tn_resolve_op("add", "Tensor", 0, &add));
  args[0].u.tensor = vector(2);
  args[1].u.tensor = vector(3);

  tn_status status = tn_call(add, args, 2, &sum, 1);
  if (status) {
    fprintf(stderr, "%s: %s\n", tn_code_name(tn_status_code(status)), tn_status_message(status));
    tn_status_release(status);
  }

  tn_tensor_release(args[0].u.tensor);
  tn_tensor_release(args[1].u.tensor);
  return status == NULL;
}
