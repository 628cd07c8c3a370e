/* A whole program of one add, from exec to exit; prints its peak memory. */
#include <tenon/tenon.h>

#include "peak_memory.h"

int main(void) {
  tn_meta form = {.dtype = TN_F32, .ndim = 1, .sizes = {1}};
  const float one = 1;
  float two = 0;
  tn_tensor* x = NULL;
  tn_value sum = {0};
  const tn_op* add = NULL;

  tn_status s = tn_init(TN_ABI_MAJOR, TN_ABI_MINOR);
  if (!s) s = tn_device_parse("cpu", &form.device);
  if (!s) s = tn_tensor_empty(&form, &x);
  if (!s) s = tn_tensor_write(x, &one, sizeof one);
  if (!s) s = tn_resolve_op("add", "Tensor", 0, &add);
  if (!s) {
    tn_value args[2] = {{.tag = TN_TAG_TENSOR, .u.tensor = x},
                        {.tag = TN_TAG_TENSOR, .u.tensor = x}};
    s = tn_call(add, args, 2, &sum, 1);
  }
  if (!s) s = tn_tensor_read(sum.u.tensor, &two, sizeof two);
  if (s) fprintf(stderr, "bench_startup: %s\n", tn_status_message(s));
  printf("%.0f\n", bench_peak_memory());

  const int failed = s != NULL || two != 2;
  tn_status_release(s);
  tn_value_drop(&sum);
  tn_tensor_release(x);
  return failed;
}
