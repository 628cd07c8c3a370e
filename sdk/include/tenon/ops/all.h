// Every standard operator, in the chapters of the reference.
//
// To add a header of declarations, add its lists here, and in plugins/ops a file that declares
// them; forgetting the second fails the link.
#pragma once

#include <tenon/ops/attention.h>
#include <tenon/ops/broadcast.h>
#include <tenon/ops/complex.h>
#include <tenon/ops/conv.h>
#include <tenon/ops/convert.h>
#include <tenon/ops/create.h>
#include <tenon/ops/create_random.h>
#include <tenon/ops/dropout.h>
#include <tenon/ops/embedding.h>
#include <tenon/ops/index.h>
#include <tenon/ops/join.h>
#include <tenon/ops/loss.h>
#include <tenon/ops/matmul.h>
#include <tenon/ops/norm.h>
#include <tenon/ops/optim.h>
#include <tenon/ops/pointwise_list.h>
#include <tenon/ops/pool.h>
#include <tenon/ops/rearrange.h>
#include <tenon/ops/reduce.h>
#include <tenon/ops/reshape.h>
#include <tenon/ops/restride.h>
#include <tenon/ops/slice.h>
#include <tenon/ops/slice_scatter.h>
#include <tenon/ops/softmax.h>
#include <tenon/ops/view.h>

namespace tn::ops {

// One list of operators under a title: what `visit` in each_chapter gets.
template <class List>
struct chapter {
  const char* title;
  List rows;
};
template <class List>
chapter(const char*, List) -> chapter<List>;

// Calls visit(chapter) for every list there is.
template <class Visit>
void each_chapter(Visit&& visit) {
  visit(chapter{"Create", create_ops{}});
  visit(chapter{"Create from random numbers", create_random_ops{}});
  visit(chapter{"Fill", fill_ops{}});
  visit(chapter{"Fill with random numbers", random_ops{}});
  visit(chapter{"Copy and convert", convert_ops{}});
  visit(chapter{"View", view_ops{}});
  visit(chapter{"View a part", slice_ops{}});
  visit(chapter{"Complex numbers", complex_ops{}});
  visit(chapter{"Reshape", reshape_ops{}});
  visit(chapter{"Broadcast", broadcast_ops{}});
  visit(chapter{"Replace a part", slice_scatter_ops{}});
  visit(chapter{"Change the view in place", restride_ops{}});
  visit(chapter{"Join", join_ops{}});
  visit(chapter{"Index", index_ops{}});
  visit(chapter{"Rearrange", rearrange_ops{}});
  visit(chapter{"Element by element: signs and rounding", sign_ops{}});
  visit(chapter{"Element by element: exponentials and logarithms", exponential_ops{}});
  visit(chapter{"Element by element: trigonometry", trigonometric_ops{}});
  visit(chapter{"Element by element: special functions", special_ops{}});
  visit(chapter{"Element by element: questions and bits", inspection_ops{}});
  visit(chapter{"Element by element: arithmetic", arithmetic_ops{}});
  visit(chapter{"Element by element: division", division_ops{}});
  visit(chapter{"Element by element: division with a rounding mode", division_modes{}});
  visit(chapter{"Element by element: powers", power_ops{}});
  visit(chapter{"Element by element: extrema", extremum_ops{}});
  visit(chapter{"Element by element: integers", integer_ops{}});
  visit(chapter{"Element by element: comparison", compare_ops{}});
  visit(chapter{"Element by element: three tensors", ternary_ops{}});
  visit(chapter{"Element by element: three tensors, composed", ternary_decompositions{}});
  visit(chapter{"Activation", activation_ops{}});
  visit(chapter{"Activation, composed", activation_decompositions{}});
  visit(chapter{"Reduce: sums, means and products", sum_ops{}});
  visit(chapter{"Reduce: extrema", extremum_reductions{}});
  visit(chapter{"Reduce: truth", truth_ops{}});
  visit(chapter{"Reduce: position of extrema", arg_ops{}});
  visit(chapter{"Reduce: variance", moment_ops{}});
  visit(chapter{"Matrix products", matmul_ops{}});
  visit(chapter{"Convolution", conv_ops{}});
  visit(chapter{"Pooling", pool_ops{}});
  visit(chapter{"Normalisation", norm_ops{}});
  visit(chapter{"Softmax", softmax_ops{}});
  visit(chapter{"Loss", loss_ops{}});
  visit(chapter{"Embedding", embedding_ops{}});
  visit(chapter{"Dropout", dropout_ops{}});
  visit(chapter{"Attention", attention_ops{}});
  visit(chapter{"Optimizer steps", optim_ops{}});
}

}  // namespace tn::ops
