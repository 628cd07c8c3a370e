// reduce.h - reductions: many elements into one.
//
// A fold is given by `identity`, the associative `combine` and what happens before and after:
//
//   template <class V> static V identity();          combine(identity, x) is x
//   template <class V> static V prepare(V x);        applied to each element; optional
//   template <class V> static V combine(V a, V b);
//   template <class T> static ... finish(T total, int64_t count);
//
// V is a number or a vector of numbers of the compute dtype, float for the 16-bit floats; finish is
// on single numbers and may answer bool. How elements are grouped is the device's business, but a
// sum must be grouped pairwise or better. Where the identity is no answer, `check` refuses to fold
// nothing. Overloads with the same fold name it as `arithmetic`, so that it is
// compiled once. argmax and argmin say `better`, variances `finish` on the moments; see there.
#pragma once

#include <tenon/ops/math.h>
#include <tenon/ops/types.h>
#include <tenon/sdk/declare.h>

namespace tn::ops {
namespace detail {

inline bool is_reduced(int64_t dim, int64_t ndim, Ints dims) {
  if (dims.empty()) return true;
  for (int64_t d : dims)
    if ((d < 0 ? d + ndim : d) == dim) return true;
  return false;
}
// `sizes` with 1 in place of the reduced dimensions; no dims means all.
inline std::vector<dim> kept_sizes(Ints sizes, Ints dims) {
  std::vector<dim> kept = sizes.vector();
  const int64_t ndim = static_cast<int64_t>(kept.size());
  for (int64_t d = 0; d < ndim; ++d)
    if (is_reduced(d, ndim, dims)) kept[static_cast<size_t>(d)] = 1;
  return kept;
}
// How many elements went into each result.
inline double reduced_count(Ints sizes, Ints dims) {
  double count = 1;
  const int64_t ndim = static_cast<int64_t>(sizes.size());
  for (int64_t d = 0; d < ndim; ++d)
    if (is_reduced(d, ndim, dims)) count *= static_cast<double>(sizes[static_cast<size_t>(d)]);
  return count;
}
// A result, or its gradient, back in the input's shape.
template <class T>
T spread(const T& t, Ints sizes, Ints dims, bool keepdim) {
  const std::vector<dim> kept = kept_sizes(sizes, dims);
  return expand(keepdim ? t : reshape(t, Ints(kept)), sizes);
}
// Throws when one dimension to be reduced (argument 1; none means all) has no elements.
inline void require_elements(const tn_value* args) {
  const tn_dltensor& self = args[0].u.tensor->dl;
  const tn_value& dim = args[1];
  const Ints dims = dim.tag == TN_TAG_INT    ? Ints(&dim.u.i, 1)
                    : dim.tag == TN_TAG_NONE ? Ints()
                                             : Ints(dim.u.ints, dim.len);
  for (int64_t d = 0; d < self.ndim; ++d)
    if (self.shape[d] == 0 && is_reduced(d, self.ndim, dims))
      fail(TN_INDEX_ERROR,
           "no elements to choose from: dimension %lld, which is reduced, has size 0",
           static_cast<long long>(d));
}
inline Ints list_or_all(const std::optional<Ints>& dims) {
  return dims ? *dims : Ints();
}

// Equal shares for all elements that are the extremum.
template <class T>
T share_extremum(const T& g, const T& self, const T& result, Ints dims, bool keepdim) {
  auto hits = eq(self, spread(result, self.sizes(), dims, keepdim));
  return spread(g, self.sizes(), dims, keepdim) * hits / sum(hits, std::optional<Ints>(dims), true);
}
template <class T>
T kept_product(const T& t, const std::optional<Ints>& dims) {
  return dims ? prod(t, (*dims)[0], true) : prod(t);
}
// The product of the other elements: that of those that are not zero, by division, times the other
// zeros. `left` is the sum of zero elements: zero, but what the product's slope follows, so that
// the derivative of this is right as well.
template <class T>
T product_of_others(const T& self, const std::optional<Ints>& dims) {
  auto zero = eq(self, 0);
  auto others = masked_fill(self, zero, 1);
  auto product = kept_product(others, dims);
  auto zeros = sum(zero, dims, true);
  auto element = where(zero, self, 0);
  auto left = sum(element, dims, true);
  return where(zero, product * (eq(zeros, 1) + eq(zeros, 2) * (left - element)),
               product / others * (eq(zeros, 0) + eq(zeros, 1) * left));
}

}  // namespace detail

// ---- sums, means and products -------------------------------------------------------------------

struct fold : reduction {
  template <class V>
  static V prepare(V x) {
    return x;
  }
  template <class T>
  static T finish(T total, int64_t) {
    return total;
  }
};
struct sum_fold : fold {
  using arithmetic = sum_fold;
  static constexpr auto promotion = TN_PROMOTE_SUM;
  static constexpr auto dtypes = numbers;
  template <class V>
  static V identity() {
    return V(0);
  }
  template <class V>
  static V combine(V a, V b) {
    return a + b;
  }
};
struct Sum : sum_fold {
  static constexpr auto schema = "sum(Tensor self, *, ScalarType? dtype=None) -> Tensor";
  static constexpr auto doc = "Sum of all elements. Integers and bools are summed in i64.";
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<sizes<0>>, [](auto g, Ints sizes) { return expand(g, sizes); }));
};
struct SumDim : sum_fold {
  static constexpr auto schema =
      "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
      "Tensor";
  static constexpr auto doc = "Sum over some dimensions, all when dim is None or empty.";
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<sizes<0>, optional_ints<1>, flag<2>>,
                  [](auto g, Ints sizes, std::optional<Ints> dims, bool keepdim) {
                    return detail::spread(g, sizes, detail::list_or_all(dims), keepdim);
                  }));
};
struct mean_fold : sum_fold {
  using arithmetic = mean_fold;
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = floats | complexes;
  template <class T>
  static T finish(T total, int64_t count) {
    return total / static_cast<T>(count);
  }
};
struct Mean : mean_fold {
  static constexpr auto schema = "mean(Tensor self, *, ScalarType? dtype=None) -> Tensor";
  static constexpr auto doc =
      "Mean of all elements, NaN when there are none. Integers need a dtype.";
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<sizes<0>>, [](auto g, Ints sizes) {
        return expand(g / detail::reduced_count(sizes, {}), sizes);
      }));
};
struct MeanDim : mean_fold {
  static constexpr auto schema =
      "mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor";
  static constexpr auto doc = "Mean over some dimensions, all when dim is None or empty.";
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<sizes<0>, optional_ints<1>, flag<2>>,
      [](auto g, Ints sizes, std::optional<Ints> dims, bool keepdim) {
        const Ints over = detail::list_or_all(dims);
        return detail::spread(g / detail::reduced_count(sizes, over), sizes, over, keepdim);
      }));
};
struct prod_fold : fold {
  using arithmetic = prod_fold;
  static constexpr auto promotion = TN_PROMOTE_SUM;
  static constexpr auto dtypes = numbers;
  template <class V>
  static V identity() {
    return V(1);
  }
  template <class V>
  static V combine(V a, V b) {
    return a * b;
  }
};
struct Prod : prod_fold {
  static constexpr auto schema = "prod(Tensor self, *, ScalarType? dtype=None) -> Tensor";
  static constexpr auto doc = "Product of all elements. Integers and bools are multiplied in i64.";
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) {
        return g * detail::product_of_others(self, std::nullopt);
      }));
};
struct ProdDim : prod_fold {
  static constexpr auto schema =
      "prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor";
  static constexpr auto doc = "Product over one dimension.";
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<arg<0>, integer<1>, flag<2>>, [](auto g, auto self, int64_t dim, bool keepdim) {
        const Ints dims(&dim, 1);
        return detail::spread(g, self.sizes(), dims, keepdim) *
               detail::product_of_others(self, dims);
      }));
};

// ---- extrema ------------------------------------------------------------------------------------

struct extremum_fold : fold {
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_reals;
  static void check(DType, const tn_value* args) { detail::require_elements(args); }
};
struct Amax : extremum_fold {
  static constexpr auto schema = "amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor";
  static constexpr auto doc =
      "The largest element over some dimensions (all without dim); NaN wins.";
  template <class V>
  static V identity() {
    if constexpr (is_real_number<V>)
      return -infinity<V>();
    else
      return V(std::numeric_limits<V>::lowest());
  }
  template <class V>
  static V combine(V a, V b) {
    return maximum(a, b);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>, ints<1>, flag<2>, ret<0>>,
                                  [](auto g, auto self, Ints dims, bool keepdim, auto result) {
                                    return detail::share_extremum(g, self, result, dims, keepdim);
                                  }));
};
struct Amin : extremum_fold {
  static constexpr auto schema = "amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor";
  static constexpr auto doc =
      "The smallest element over some dimensions (all without dim); NaN wins.";
  template <class V>
  static V identity() {
    if constexpr (is_real_number<V>)
      return infinity<V>();
    else
      return V(std::numeric_limits<V>::max());
  }
  template <class V>
  static V combine(V a, V b) {
    return minimum(a, b);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>, ints<1>, flag<2>, ret<0>>,
                                  [](auto g, auto self, Ints dims, bool keepdim, auto result) {
                                    return detail::share_extremum(g, self, result, dims, keepdim);
                                  }));
};

// Finds a position: `better(a, b)` says whether a replaces b. Of equal ones the first wins, and NaN
// wins over numbers. `extremum` is the fold that finds its value. Positions count in row-major
// order over the reduced dimensions.
struct arg_reduction : reduction {
  static constexpr auto promotion = TN_PROMOTE_INDEX;
  static constexpr auto dtypes = reals;
  static constexpr uint32_t flags = TN_OP_NOT_DIFFERENTIABLE;
  static void check(DType, const tn_value* args) { detail::require_elements(args); }
};
struct Argmax : arg_reduction {
  static constexpr auto schema = "argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor";
  static constexpr auto doc =
      "Position (i64) of the largest element, in one dimension or of all elements flattened.";
  using extremum = Amax;
  template <class T>
  static bool better(T a, T b) {
    return a > b || (a != a && b == b);
  }
};
struct Argmin : arg_reduction {
  static constexpr auto schema = "argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor";
  static constexpr auto doc =
      "Position (i64) of the smallest element, in one dimension or of all elements flattened.";
  using extremum = Amin;
  template <class T>
  static bool better(T a, T b) {
    return a < b || (a != a && b == b);
  }
};

// ---- logic --------------------------------------------------------------------------------------

struct truth_fold : fold {
  static constexpr auto promotion = TN_PROMOTE_BOOL;
  static constexpr auto dtypes = all_numbers;
  static constexpr uint32_t flags = TN_OP_NOT_DIFFERENTIABLE;
  template <class V>
  static V prepare(V x) {
    return V(x != V(0));
  }
  template <class T>
  static bool finish(T found, int64_t) {
    return found != T(0);
  }
};
struct any_fold : truth_fold {
  using arithmetic = any_fold;
  template <class V>
  static V identity() {
    return V(0);
  }
  template <class V>
  static V combine(V a, V b) {
    if constexpr (is_complex_number<V>)
      return a == V(0) ? b : a;
    else
      return maximum(a, b);
  }
};
struct all_fold : truth_fold {
  using arithmetic = all_fold;
  template <class V>
  static V identity() {
    return V(1);
  }
  template <class V>
  static V combine(V a, V b) {
    if constexpr (is_complex_number<V>)
      return a == V(0) ? a : b;
    else
      return minimum(a, b);
  }
};
struct Any : any_fold {
  static constexpr auto schema = "any(Tensor self) -> Tensor";
  static constexpr auto doc = "True when some element is not zero.";
};
struct AnyDim : any_fold {
  static constexpr auto schema = "any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor";
  static constexpr auto doc = "Along one dimension: true where some element is not zero.";
};
struct All : all_fold {
  static constexpr auto schema = "all(Tensor self) -> Tensor";
  static constexpr auto doc = "True when no element is zero.";
};
struct AllDim : all_fold {
  static constexpr auto schema = "all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor";
  static constexpr auto doc = "Along one dimension: true where no element is zero.";
};

// ---- variance -----------------------------------------------------------------------------------

namespace detail {

inline double correction_of(const tn_value& correction) {
  return correction.tag == TN_TAG_NONE ? 1 : Scalar(correction).real();
}
template <class T>
T variance_gradient(const T& g, const T& self, const std::optional<Ints>& dims,
                    const tn_value& correction, bool keepdim) {
  const Ints over = list_or_all(dims);
  const double degrees = reduced_count(self.sizes(), over) - correction_of(correction);
  return spread(g, self.sizes(), over, keepdim) * (self - mean(self, dims, true)) * (2 / degrees);
}

}  // namespace detail

// Computed from the moments: count, mean and the sum of squared distances from the mean, which are
// found in two passes over short pieces and merged as Chan, Golub and LeVeque (1979) do.
struct moments : reduction {
  static constexpr auto promotion = TN_PROMOTE_REAL;
  static constexpr auto dtypes = floats | complexes;
  static constexpr auto complex_gradient = as_written;
};
struct Var : moments {
  static constexpr auto schema =
      "var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
      "keepdim=False) -> Tensor";
  static constexpr auto doc =
      "Variance: squared distances from the mean (of complex numbers too), summed and divided by "
      "count - correction (1).";
  template <class T>
  static T finish(T squares, T degrees) {
    return squares / maximum(degrees, T(0));
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<arg<0>, optional_ints<1>, raw<2>, flag<3>>,
      [](auto g, auto self, std::optional<Ints> dims, const tn_value& correction, bool keepdim) {
        return detail::variance_gradient(g, self, dims, correction, keepdim);
      }));
};
struct Std : moments {
  static constexpr auto schema =
      "std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
      "keepdim=False) -> Tensor";
  static constexpr auto doc = "Standard deviation: the square root of var.";
  template <class T>
  static T finish(T squares, T degrees) {
    return sqrt(squares / maximum(degrees, T(0)));
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, optional_ints<1>, raw<2>, flag<3>, ret<0>>,
                  [](auto g, auto self, std::optional<Ints> dims, const tn_value& correction,
                     bool keepdim, auto result) {
                    auto through_root = masked_fill(g / (result * 2), eq(result, 0), 0);
                    return detail::variance_gradient(through_root, self, dims, correction, keepdim);
                  }));
};

using sum_ops = list<Sum, SumDim, Mean, MeanDim, Prod, ProdDim>;
using extremum_reductions = list<Amax, Amin>;
using truth_ops = list<Any, AnyDim, All, AllDim>;
using arg_ops = list<Argmax, Argmin>;
using moment_ops = list<Var, Std>;

}  // namespace tn::ops
