// kernels.h - the groups of kernels in this plugin: each is one file's function, called by
// plugin.cc.
#pragma once

#include <tenon/plugin.h>

namespace tn::cpu {

// Element-wise: pointwise_*.cc
void register_activation(tn_plugin* plugin);
void register_arithmetic(tn_plugin* plugin);
void register_compare(tn_plugin* plugin);
void register_division(tn_plugin* plugin);
void register_exponential(tn_plugin* plugin);
void register_extremum(tn_plugin* plugin);
void register_inspection(tn_plugin* plugin);
void register_integer(tn_plugin* plugin);
void register_power(tn_plugin* plugin);
void register_sign(tn_plugin* plugin);
void register_special(tn_plugin* plugin);
void register_ternary(tn_plugin* plugin);
void register_trigonometric(tn_plugin* plugin);
// Given outputs: index.cc, join.cc, rearrange.cc, create.cc, random_integers.cc
void register_index(tn_plugin* plugin);
void register_join(tn_plugin* plugin);
void register_rearrange(tn_plugin* plugin);
void register_create(tn_plugin* plugin);
void register_random_integers(tn_plugin* plugin);
// In place: copy.cc, fill.cc, random.cc
void register_copy(tn_plugin* plugin);
void register_fill(tn_plugin* plugin);
void register_random(tn_plugin* plugin);
// Reductions: reduce_*.cc
void register_sums(tn_plugin* plugin);
void register_extremum_reductions(tn_plugin* plugin);
void register_arg_reductions(tn_plugin* plugin);
void register_moments(tn_plugin* plugin);
// Matrix products, convolutions and what networks are made of: the file of each name
void register_matmul(tn_plugin* plugin);
void register_conv(tn_plugin* plugin);
void register_attention(tn_plugin* plugin);
void register_attention_backward(tn_plugin* plugin);
void register_max_pool(tn_plugin* plugin);
void register_avg_pool(tn_plugin* plugin);
void register_batch_norm(tn_plugin* plugin);
void register_layer_norm(tn_plugin* plugin);
void register_softmax(tn_plugin* plugin);
void register_loss(tn_plugin* plugin);
void register_embedding(tn_plugin* plugin);
void register_optim(tn_plugin* plugin);

}  // namespace tn::cpu
