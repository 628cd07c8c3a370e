/* One fault each, which the build's address sanitizer, or Valgrind, must report. The faults are in
 * tensors' memory, which is the one that matters. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <tenon/tenon.h>

static tn_tensor* numbers(void) {
  const float values[3] = {1, 2, 3};
  tn_meta form = {.dtype = TN_F32, .ndim = 1, .sizes = {3}};
  tn_tensor* made = NULL;
  tn_status s = tn_device_parse("cpu", &form.device);
  if (!s) s = tn_tensor_empty(&form, &made);
  if (!s) s = tn_tensor_write(made, values, sizeof values);
  if (s) fprintf(stderr, "%s\n", tn_status_message(s));
  tn_status_release(s);
  return made;
}

static int element(const tn_tensor* tensor, volatile int at) {
  return ((const float*)tensor->dl.data)[at] > 0 ? 1 : 2;
}

static int overflow(void) {
  tn_tensor* x = numbers();
  const int found = element(x, 3);
  tn_tensor_release(x);
  return found;
}

static int underflow(void) {
  tn_tensor* x = numbers();
  const int found = element(x, -1);
  tn_tensor_release(x);
  return found;
}

static int use_after_release(void) {
  tn_tensor* x = numbers();
  const float* data = x->dl.data;
  tn_tensor_release(x);
  return data[0] > 0 ? 1 : 2;
}

static int leak(void) {
  return numbers() ? 1 : 2;
}

static int uninitialised(void) {
  tn_meta form = {.dtype = TN_F32, .ndim = 1, .sizes = {3}};
  tn_tensor* x = NULL;
  tn_status s = tn_device_parse("cpu", &form.device);
  if (!s) s = tn_tensor_empty(&form, &x);
  const int found = s ? 0 : element(x, 0);
  tn_status_release(s);
  tn_tensor_release(x);
  return found;
}

static int undefined(void) {
  volatile int largest = INT_MAX;
  return largest + 1 < 0 ? 1 : 2;
}

/* Exit status 0 whatever it finds: only a report makes it fail. */
int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*run)(void);
  } faults[] = {{"overflow", overflow},
                {"underflow", underflow},
                {"use_after_release", use_after_release},
                {"leak", leak},
                {"uninitialised", uninitialised},
                {"undefined", undefined}};
  tn_status s = tn_init(TN_ABI_MAJOR, TN_ABI_MINOR);
  if (s) fprintf(stderr, "%s\n", tn_status_message(s));
  tn_status_release(s);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i)
    if (argc == 2 && strcmp(argv[1], faults[i].name) == 0) printf("%d\n", faults[i].run());
  return 0;
}
