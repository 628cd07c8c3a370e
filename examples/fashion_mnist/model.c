#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAIL(code, ...) tn_status_make(code, NULL, 0, __FILE__, __LINE__, __VA_ARGS__)

/* ---- loading
 * ---------------------------------------------------------------------------------------------------
 */

static tn_status load_tensor(const tn_safetensors* files, tn_safetensors_file* file,
                             const char* name, int32_t ndim, const int64_t* sizes, tn_device device,
                             tn_tensor** out) {
  tn_tensor* stored = NULL;
  tn_status status = files->get(file, name, &stored);
  if (status) return status;
  if (stored->dl.ndim != ndim ||
      memcmp(stored->dl.shape, sizes, (size_t)ndim * sizeof *sizes) != 0) {
    char found[128], expected[128] = "";
    tn_tensor_describe(stored, found, sizeof found);
    for (int32_t d = 0; d < ndim; ++d) {
      const size_t used = strlen(expected);
      snprintf(expected + used, sizeof expected - used, "%s%lld", d ? "," : "",
               (long long)sizes[d]);
    }
    status = FAIL(TN_INVALID_ARGUMENT,
                  "\"%s\" is %s, expected [%s]: these are the weights of another network", name,
                  found, expected);
  } else {
    status = tn_tensor_to(stored, device, TN_F32, out);
  }
  tn_tensor_release(stored);
  return status;
}

static tn_status load_number(const tn_safetensors* files, const tn_safetensors_file* file,
                             const char* key, double* out) {
  const char* text = files->metadata(file, key);
  char* end = NULL;
  if (text) *out = strtod(text, &end);
  if (!text || end == text || *end || !(*out > 0))
    return FAIL(TN_INVALID_ARGUMENT, "the metadata \"%s\" is %s%s, expected a number above 0", key,
                text ? "" : "missing", text ? text : "");
  return NULL;
}

static tn_status load_classes(const tn_safetensors* files, const tn_safetensors_file* file,
                              model* m) {
  const char* text = files->metadata(file, "classes");
  for (int i = 0; text && i < MODEL_CLASSES; ++i) {
    const size_t length = strcspn(text, ",");
    snprintf(m->classes[i], sizeof m->classes[i], "%.*s", (int)length, text);
    text = i + 1 < MODEL_CLASSES && !text[length] ? NULL : text + length + (text[length] == ',');
  }
  if (!text)
    return FAIL(TN_INVALID_ARGUMENT, "the metadata \"classes\" does not name %d classes",
                MODEL_CLASSES);
  return NULL;
}

static tn_status load_weights(model* m, const tn_safetensors* files, tn_safetensors_file* file,
                              tn_device device) {
  const struct {
    const char* name;
    int32_t ndim;
    int64_t sizes[4];
    tn_tensor** target;
  } rows[] = {
      {"conv1.weight", 4, {16, 1, 3, 3}, &m->conv1_weight},
      {"conv1.bias", 1, {16}, &m->conv1_bias},
      {"conv2.weight", 4, {32, 16, 3, 3}, &m->conv2_weight},
      {"conv2.bias", 1, {32}, &m->conv2_bias},
      {"linear.weight", 2, {MODEL_CLASSES, 1568}, &m->linear_weight},
      {"linear.bias", 1, {MODEL_CLASSES}, &m->linear_bias},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    tn_status status =
        load_tensor(files, file, rows[i].name, rows[i].ndim, rows[i].sizes, device, rows[i].target);
    if (status) return status;
  }
  tn_status status = load_number(files, file, "mean", &m->mean);
  if (!status) status = load_number(files, file, "deviation", &m->deviation);
  if (!status) status = load_classes(files, file, m);
  return status;
}

static tn_status find_operators(model* m) {
  const struct {
    const char *name, *overload;
    const tn_op** target;
  } rows[] = {
      {"sub", "Tensor", &m->sub},         {"div", "Tensor", &m->div},
      {"conv2d", "", &m->conv2d},         {"relu", "", &m->relu},
      {"max_pool2d", "", &m->max_pool2d}, {"flatten", "using_ints", &m->flatten},
      {"linear", "", &m->linear},         {"argmax", "", &m->argmax},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    tn_status status = tn_resolve_op(rows[i].name, rows[i].overload, 0, rows[i].target);
    if (status) return status;
  }
  return NULL;
}

tn_status model_load(model* m, const tn_safetensors* files, const char* path, tn_device device) {
  memset(m, 0, sizeof *m);
  tn_safetensors_file* file = NULL;
  tn_status status = files->open(path, &file);
  if (status) return status;
  status = load_weights(m, files, file, device);
  if (status) status = tn_status_annotate(status, "cannot use the weights of %s", path);
  files->close(file);
  return status ? status : find_operators(m);
}

void model_free(model* m) {
  tn_tensor_release(m->conv1_weight);
  tn_tensor_release(m->conv1_bias);
  tn_tensor_release(m->conv2_weight);
  tn_tensor_release(m->conv2_bias);
  tn_tensor_release(m->linear_weight);
  tn_tensor_release(m->linear_bias);
  memset(m, 0, sizeof *m);
}

/* ---- running
 * ---------------------------------------------------------------------------------------------------
 */

static tn_value tensor_value(tn_tensor* tensor) {
  tn_value v = {.tag = TN_TAG_TENSOR};
  v.u.tensor = tensor;
  return v;
}
static tn_value int_value(int64_t i) {
  tn_value v = {.tag = TN_TAG_INT};
  v.u.i = i;
  return v;
}
static tn_value float_value(double f) {
  tn_value v = {.tag = TN_TAG_FLOAT};
  v.u.f = f;
  return v;
}

/* Replaces *x by op(*x, args[1], ...); args[0] is filled in here. After a failure does nothing and
 * passes it on. */
static tn_status apply(tn_status before, const tn_op* op, tn_value* args, uint32_t nargs,
                       tn_tensor** x) {
  if (before) return before;
  tn_value result = {0};
  args[0] = tensor_value(*x);
  tn_status status = tn_call(op, args, nargs, &result, 1);
  if (status) return status;
  tn_tensor_release(*x);
  *x = result.u.tensor;
  return NULL;
}

static tn_status convolve(tn_status status, const model* m, tn_tensor* weight, tn_tensor* bias,
                          tn_tensor** x) {
  tn_value conv[] = {{0}, tensor_value(weight), tensor_value(bias), int_value(1), int_value(1)};
  tn_value relu[1], pool[] = {{0}, int_value(2)};
  status = apply(status, m->conv2d, conv, 5, x); /* stride 1, padding 1 */
  status = apply(status, m->relu, relu, 1, x);
  return apply(status, m->max_pool2d, pool, 2, x);
}

tn_status model_classify(const model* m, tn_tensor* images, tn_tensor** out) {
  tn_tensor* x = NULL;
  tn_status status = tn_tensor_cast(images, TN_F32, &x);
  tn_value sub[] = {{0}, float_value(255 * m->mean)},
           div[] = {{0}, float_value(255 * m->deviation)};
  status = apply(status, m->sub, sub, 2, &x);
  status = apply(status, m->div, div, 2, &x);
  status = convolve(status, m, m->conv1_weight, m->conv1_bias, &x);
  status = convolve(status, m, m->conv2_weight, m->conv2_bias, &x);
  tn_value flatten[] = {{0}, int_value(1)};
  tn_value linear[] = {{0}, tensor_value(m->linear_weight), tensor_value(m->linear_bias)};
  tn_value argmax[] = {{0}, int_value(1)};
  status = apply(status, m->flatten, flatten, 2, &x);
  status = apply(status, m->linear, linear, 3, &x);
  status = apply(status, m->argmax, argmax, 2, &x);
  if (status) {
    tn_tensor_release(x);
    return tn_status_annotate(status, "cannot classify");
  }
  *out = x;
  return NULL;
}
