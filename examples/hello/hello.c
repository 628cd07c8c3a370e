/* Adds 10 to a 2 x 3 tensor. */
#include <stdio.h>

#include <tenon/tenon.h>

int main(void) {
  const float numbers[6] = {1, 2, 3, 4, 5, 6};
  float sums[6];
  tn_meta form = {.dtype = TN_F32, .ndim = 2, .sizes = {2, 3}};
  tn_tensor* x = NULL;
  tn_value sum = {0};
  const tn_op* add = NULL;

  tn_status s = tn_init(TN_ABI_MAJOR, TN_ABI_MINOR);
  if (!s) s = tn_device_parse("cpu", &form.device);
  if (!s) s = tn_tensor_empty(&form, &x);
  if (!s) s = tn_tensor_write(x, numbers, sizeof numbers);
  if (!s) s = tn_resolve_op("add", "Tensor", 0, &add);
  if (!s) {
    tn_value args[2] = {{.tag = TN_TAG_TENSOR, .u.tensor = x}, {.tag = TN_TAG_FLOAT, .u.f = 10}};
    s = tn_call(add, args, 2, &sum, 1);
  }
  if (!s) s = tn_tensor_read(sum.u.tensor, sums, sizeof sums);
  for (int i = 0; !s && i < 6; ++i) printf("%g%c", (double)sums[i], i % 3 == 2 ? '\n' : ' ');
  if (s) fprintf(stderr, "%s\n", tn_status_message(s));

  const int failed = s != NULL;
  tn_status_release(s);
  tn_value_drop(&sum);
  tn_tensor_release(x);
  return failed;
}
