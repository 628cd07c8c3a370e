/* Classifies the test pictures with the weights that train.cc wrote: a C99 program that links
 * libtenon and nothing else.
 *
 *   fashion_mnist_classify [FOLDER]    reads fashion.safetensors and fashion-test.safetensors, by
 * default from "."
 *
 * Exit status: 0 success; 1 it failed, with the reason on stderr; 2 wrong usage. */
#include <stdio.h>
#include <stdlib.h>

#include "model.h"
#include "picture.h"

#define BATCH 500
#define SHOWN 3

/* The device of tensors that are made without naming one: default_device of tenon.toml. */
static tn_status default_device(tn_device* out) {
  static const int64_t none[1] = {0};
  const tn_op* empty = NULL;
  tn_value size = {.tag = TN_TAG_INTS, .len = 1}, made = {0};
  size.u.ints = none;
  tn_status status = tn_resolve_op("empty", "memory_format", 0, &empty);
  if (!status) status = tn_call(empty, &size, 1, &made, 1);
  if (!status) *out = made.u.tensor->dl.device;
  tn_value_drop(&made);
  return status;
}

typedef struct test_set {
  tn_tensor* images; /* u8 [N, 1, 28, 28] */
  tn_tensor* labels; /* i64 [N] */
} test_set;

static tn_status load_test_set(test_set* set, const tn_safetensors* files, const char* path,
                               tn_device device) {
  tn_safetensors_file* file = NULL;
  tn_tensor *images = NULL, *labels = NULL;
  tn_status status = files->open(path, &file);
  if (status) return status;
  status = files->get(file, "images", &images);
  if (!status) status = files->get(file, "labels", &labels);
  if (!status &&
      (images->dl.ndim != 4 || labels->dl.ndim != 1 || images->dl.shape[0] != labels->numel ||
       images->numel != labels->numel * 28 * 28 || images->numel == 0)) {
    char x[128], y[128];
    tn_tensor_describe(images, x, sizeof x);
    tn_tensor_describe(labels, y, sizeof y);
    status =
        tn_status_make(TN_INVALID_ARGUMENT, NULL, 0, __FILE__, __LINE__,
                       "%s: images are %s and labels %s, expected [N,1,28,28] and [N]", path, x, y);
  }
  if (!status) status = tn_tensor_to(images, device, TN_U8, &set->images);
  if (!status) status = tn_tensor_to(labels, device, TN_I64, &set->labels);
  tn_tensor_release(images);
  tn_tensor_release(labels);
  files->close(file);
  return status;
}

/* Classifies images begin to end; `classes` has room for all. */
static tn_status classify_range(const model* m, const test_set* set, int64_t begin, int64_t end,
                                int64_t* classes) {
  const tn_op* slice = NULL;
  tn_tensor* found = NULL;
  tn_value batch = {0};
  tn_value args[4] = {
      {.tag = TN_TAG_TENSOR}, {.tag = TN_TAG_INT}, {.tag = TN_TAG_INT}, {.tag = TN_TAG_INT}};
  args[0].u.tensor = set->images;
  args[2].u.i = begin;
  args[3].u.i = end;
  tn_status status = tn_resolve_op("slice", "Tensor", 0, &slice);
  if (!status) status = tn_call(slice, args, 4, &batch, 1);
  if (!status) status = model_classify(m, batch.u.tensor, &found);
  if (!status)
    status = tn_tensor_read(found, classes + begin, (size_t)(end - begin) * sizeof *classes);
  tn_tensor_release(found);
  tn_value_drop(&batch);
  return status;
}

static tn_status show(const model* m, const test_set* set, const int64_t* classes,
                      const int64_t* labels) {
  const size_t nbytes = (size_t)set->images->numel;
  const int count = set->labels->numel < SHOWN ? (int)set->labels->numel : SHOWN;
  const uint8_t* pictures[SHOWN];
  char captions[SHOWN][96];
  const char* lines[SHOWN];
  uint8_t* pixels = malloc(nbytes);
  if (!pixels) return tn_status_out_of_memory();
  tn_status status = tn_tensor_read(set->images, pixels, nbytes);
  for (int i = 0; i < count; ++i) {
    const char *name = m->classes[classes[i]], *truth = m->classes[labels[i]];
    pictures[i] = pixels + (size_t)i * 28 * 28;
    lines[i] = captions[i];
    if (classes[i] == labels[i])
      snprintf(captions[i], sizeof captions[i], "%s", name);
    else
      snprintf(captions[i], sizeof captions[i], "%s, not %s", truth, name);
  }
  if (!status) picture_print(pictures, lines, count);
  free(pixels);
  return status;
}

static tn_status evaluate(const model* m, const test_set* set) {
  const int64_t count = set->labels->numel;
  int64_t hits = 0;
  int64_t *classes = calloc((size_t)count, 2 * sizeof *classes), *labels = classes + count;
  if (!classes) return tn_status_out_of_memory();
  tn_status status = tn_tensor_read(set->labels, labels, (size_t)count * sizeof *labels);
  for (int64_t i = 0; !status && i < count; ++i) {
    if (labels[i] < 0 || labels[i] >= MODEL_CLASSES)
      status = tn_status_make(TN_INVALID_ARGUMENT, NULL, 0, __FILE__, __LINE__,
                              "label %lld at place %lld, expected 0 to 9", (long long)labels[i],
                              (long long)i);
  }
  for (int64_t begin = 0; !status && begin < count; begin += BATCH) {
    const int64_t end = begin + BATCH < count ? begin + BATCH : count;
    status = classify_range(m, set, begin, end, classes);
  }
  for (int64_t i = 0; !status && i < count; ++i) hits += classes[i] == labels[i];
  if (!status) status = show(m, set, classes, labels);
  if (!status) printf("test accuracy: %.2f %%\n", 100.0 * (double)hits / (double)count);
  free(classes);
  return status;
}

static tn_status run(const char* folder) {
  char weights[4096], pictures[4096];
  model m = {0};
  test_set set = {0};
  tn_device device;
  const void* found = NULL;
  snprintf(weights, sizeof weights, "%s/fashion.safetensors", folder);
  snprintf(pictures, sizeof pictures, "%s/fashion-test.safetensors", folder);

  tn_status status = tn_init(TN_ABI_MAJOR, TN_ABI_MINOR);
  if (!status) status = default_device(&device);
  if (!status) status = tn_get_interface(TN_SAFETENSORS_INTERFACE, 1, &found);
  if (!status) status = model_load(&m, found, weights, device);
  if (!status) status = load_test_set(&set, found, pictures, device);
  if (!status) status = evaluate(&m, &set);
  if (tn_status_code(status) == TN_IO_ERROR)
    status = tn_status_annotate(
        status, "fashion_mnist_train writes the files that this program reads; run it first");
  tn_tensor_release(set.images);
  tn_tensor_release(set.labels);
  model_free(&m);
  return status;
}

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
    fprintf(stderr, "usage: fashion_mnist_classify [FOLDER]\n");
    return 2;
  }
  tn_status status = run(argc == 2 ? argv[1] : ".");
  if (!status) return 0;
  fflush(stdout);
  fprintf(stderr, "fashion_mnist_classify: %s\n", tn_status_message(status));
  tn_status_release(status);
  return 1;
}
