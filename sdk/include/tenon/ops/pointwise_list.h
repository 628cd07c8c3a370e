// pointwise_list.h - every element-wise operator, in groups that can be instantiated apart.
#pragma once

#include <tenon/ops/activation.h>
#include <tenon/ops/binary.h>
#include <tenon/ops/compare.h>
#include <tenon/ops/fill.h>
#include <tenon/ops/random.h>
#include <tenon/ops/ternary.h>
#include <tenon/ops/unary.h>

namespace tn::ops {

template <class... Groups>
struct join;
template <class... A>
struct join<list<A...>> {
  using type = list<A...>;
};
template <class... A, class... B, class... Rest>
struct join<list<A...>, list<B...>, Rest...> : join<list<A..., B...>, Rest...> {};
template <class... Groups>
using joined = typename join<Groups...>::type;

using unary_ops = joined<sign_ops, exponential_ops, trigonometric_ops, special_ops, inspection_ops>;
using binary_ops =
    joined<arithmetic_ops, division_ops, power_ops, extremum_ops, integer_ops, compare_ops>;

// All that have a `value`.
using pointwise_ops = joined<unary_ops, binary_ops, ternary_ops, activation_ops>;
// All that write in place and have none.
using in_place_ops = joined<fill_ops, random_ops>;
// Decompositions that belong to them.
using pointwise_decompositions =
    joined<division_modes, ternary_decompositions, activation_decompositions>;

}  // namespace tn::ops
