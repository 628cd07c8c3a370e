/* The network of network.h for C: weights from a file, and a call of one operator for each layer.
 */
#ifndef FASHION_MODEL_H
#define FASHION_MODEL_H

#include <tenon/tenon.h>

#define MODEL_CLASSES 10

typedef struct model {
  tn_tensor *conv1_weight, *conv1_bias;   /* f32 [16, 1, 3, 3], [16] */
  tn_tensor *conv2_weight, *conv2_bias;   /* f32 [32, 16, 3, 3], [32] */
  tn_tensor *linear_weight, *linear_bias; /* f32 [10, 1568], [10] */
  double mean, deviation;                 /* of pixels from 0 to 1 */
  char classes[MODEL_CLASSES][32];
  const tn_op *sub, *div, *conv2d, *relu, *max_pool2d, *flatten, *linear, *argmax;
} model;

/* Reads the weights, moved to `device`, and finds the operators. Errors: the file is missing or
 * malformed, a tensor or a key is missing, a tensor has another form than above. model_free is due
 * in any case. */
tn_status model_load(model* model, const tn_safetensors* files, const char* path, tn_device device);
void model_free(model* model);

/* The most likely class of each picture: u8 [N, 1, 28, 28] to i64 [N], owned by the caller. */
tn_status model_classify(const model* model, tn_tensor* images, tn_tensor** out);

#endif
