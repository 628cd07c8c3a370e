// Shapes: wrapping dimensions, sizes that follow from others, and the geometry that views are made
// of.
//
// Everything here works on metadata alone. Sizes and strides count elements. Errors name the tensor
// that came and what was allowed.
#pragma once

#include <string>

#include <tenon/sdk/declare.h>

namespace tn::ops {

// U, as a type that depends on T. A decomposition without a tensor parameter takes its others so:
// the operators that it calls are then looked up when it is instantiated, not when it is read.
template <class T, class U>
struct dependent {
  using type = U;
};
template <class T, class U>
using in = typename dependent<T, U>::type;

// "[2, 3]".
inline std::string shape_text(Ints sizes) {
  std::string out = "[";
  for (size_t i = 0; i < sizes.size(); ++i) out += (i ? ", " : "") + std::to_string(sizes[i]);
  return out + "]";
}

// A dimension in [-rank, rank) as one in [0, rank). A 0-dim tensor counts as one of rank 1. `what`
// is the argument's name.
inline int64_t wrap_dim(int64_t dim, int64_t rank, const char* what = "dim") {
  const int64_t n = rank == 0 ? 1 : rank;
  if (dim < -n || dim >= n)
    fail(TN_INDEX_ERROR, "%s is %lld, outside [%lld, %lld] for a tensor of rank %lld", what,
         static_cast<long long>(dim), static_cast<long long>(-n), static_cast<long long>(n - 1),
         static_cast<long long>(rank));
  return dim < 0 ? dim + n : dim;
}

// Wraps each of `dims` and returns them as a bit set. Error: a dimension is named twice.
inline uint64_t dim_set(Ints dims, int64_t rank) {
  uint64_t set = 0;
  for (int64_t dim : dims) {
    const int64_t d = wrap_dim(dim, rank);
    if (set >> d & 1)
      fail(TN_INVALID_ARGUMENT, "dim %lld appears twice in %s", static_cast<long long>(d),
           shape_text(dims).c_str());
    set |= uint64_t{1} << d;
  }
  return set;
}

inline void require_rank(Ints sizes) {
  if (sizes.size() > TN_MAX_DIMS)
    fail(TN_INVALID_ARGUMENT, "a shape of %zu dimensions; at most %d are possible", sizes.size(),
         TN_MAX_DIMS);
}

// Error: a negative size.
inline void require_sizes(Ints sizes) {
  require_rank(sizes);
  for (int64_t size : sizes)
    if (size < 0)
      fail(TN_INVALID_ARGUMENT, "size %s has a negative entry; every size must be 0 or more",
           shape_text(sizes).c_str());
}

// a * b for strides and offsets, or the largest number: an empty tensor may have strides beyond all
// memory, of which nothing but another such stride is made.
inline int64_t stride_product(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}
inline int64_t stride_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

// The extents of a tensor, to be changed into those of a view of it.
struct Geometry {
  int64_t rank = 0;
  int64_t offset = 0;
  dim sizes[TN_MAX_DIMS];
  int64_t strides[TN_MAX_DIMS];

  Geometry() {}  // the arrays are left as they are beyond `rank`
  explicit Geometry(const Tensor& t) : rank(t.dim()), offset(t.storage_offset()) {
    for (int64_t d = 0; d < rank; ++d) {
      sizes[d] = t.sizes()[static_cast<size_t>(d)];
      strides[d] = t.strides()[static_cast<size_t>(d)];
    }
  }

  Ints shape() const { return {sizes, static_cast<size_t>(rank)}; }
  Ints steps() const { return {strides, static_cast<size_t>(rank)}; }

  void append(dim size, int64_t stride) {
    if (rank == TN_MAX_DIMS)
      fail(TN_INVALID_ARGUMENT, "a result of more than %d dimensions", TN_MAX_DIMS);
    sizes[rank] = size;
    strides[rank++] = stride;
  }
  void insert(int64_t d, dim size, int64_t stride) {
    append(size, stride);
    for (int64_t i = rank - 1; i > d; --i) {
      sizes[i] = sizes[i - 1];
      strides[i] = strides[i - 1];
    }
    sizes[d] = size;
    strides[d] = stride;
  }
  void erase(int64_t d) {
    for (--rank; d < rank; ++d) {
      sizes[d] = sizes[d + 1];
      strides[d] = strides[d + 1];
    }
  }
  void swap(int64_t a, int64_t b) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  // Strides of the sizes in row-major order.
  void row_major() {
    for (int64_t d = rank - 1, step = 1; d >= 0; --d) {
      strides[d] = step;
      step *= sizes[d] > 1 ? sizes[d] : 1;
    }
  }
  // Drops the dimensions of `set` whose size is 1.
  void squeeze(uint64_t set) {
    for (int64_t d = rank - 1; d >= 0; --d)
      if ((set >> d & 1) && sizes[d] == 1) erase(d);
  }
  // A new dimension of size 1 at `dim`, which counts among rank + 1.
  void unsqueeze(int64_t dim) {
    const int64_t d = wrap_dim(dim, rank + 1);
    insert(d, 1, d < rank ? stride_product(sizes[d], strides[d]) : 1);
  }
  // [start, start + length) of dimension d, which must lie inside.
  void narrow(int64_t d, int64_t start, dim length) {
    offset = stride_sum(offset, stride_product(start, strides[d]));
    sizes[d] = length;
  }
};

// The view of `base` with that geometry. `flags` is TN_ALIAS_MULTI_OUTPUT for one of several
// results.
inline Tensor make_view(const Tensor& base, const Geometry& g, DType dtype, uint32_t flags = 0) {
  tn_tensor* out = nullptr;
  check(api->tensor_view(base.get(), static_cast<int32_t>(g.rank), g.sizes, g.strides, g.offset,
                         dtype, flags, &out));
  return Tensor::own(out);
}
inline Tensor make_view(const Tensor& base, const Geometry& g, uint32_t flags = 0) {
  return make_view(base, g, base.dtype(), flags);
}

// Replaces the one -1 in `shape`, if any, by what makes it hold `numel` elements, and writes the
// sizes to `g`. Errors: two of them, other negative sizes, another number of elements. A size of 0
// counts as 1 where the others must not be too many, so that strides can be made of them.
inline void resolve_shape(Ints shape, int64_t numel, Geometry& g) {
  require_rank(shape);
  g.rank = static_cast<int64_t>(shape.size());
  dim known = 1;
  int64_t free = -1;
  bool empty = false;
  for (int64_t d = 0; d < g.rank; ++d) {
    const dim size = g.sizes[d] = shape[static_cast<size_t>(d)];
    if (size == -1) {
      if (free >= 0)
        fail(TN_INVALID_ARGUMENT, "only one size of %s can be inferred", shape_text(shape).c_str());
      free = d;
    } else if (size < 0) {
      fail(TN_INVALID_ARGUMENT, "invalid size %lld in %s; sizes are 0 or more, or -1 once",
           static_cast<long long>(size), shape_text(shape).c_str());
    } else if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(known, size, &known)) {
      fail(TN_INVALID_ARGUMENT, "shape %s has too many elements", shape_text(shape).c_str());
    }
  }
  if (empty) known = 0;
  if (free >= 0) {
    if (known == 0)
      fail(TN_INVALID_ARGUMENT,
           "the size -1 of %s is ambiguous: with 0 elements it can be anything",
           shape_text(shape).c_str());
    if (numel % known == 0) {
      g.sizes[free] = numel / known;
      return;
    }
  } else if (known == numel) {
    return;
  }
  fail(TN_INVALID_ARGUMENT, "shape %s is invalid for a tensor of %lld elements",
       shape_text(shape).c_str(), static_cast<long long>(numel));
}

// Finds strides that show `old`'s memory in the shape g.sizes; false when only a copy can do that.
//
// Walks both shapes from the back. A run of old dimensions that lie densely in each other is one
// chunk of memory; new dimensions must be taken out of one chunk each until it is used up.
inline bool view_strides(const Tensor& old, Geometry& g) {
  if (old.is_contiguous()) {
    g.row_major();
    return true;
  }
  const Ints sizes = old.sizes(), strides = old.strides();
  int64_t numel = 1;
  for (int64_t size : sizes) numel *= size;
  if (numel == 0 || sizes.empty()) {
    g.row_major();  // an empty tensor may have any strides; a single element as well
    return true;
  }
  int64_t next = g.rank - 1;
  int64_t base = strides[sizes.size() - 1];
  int64_t chunk = 1, taken = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    chunk *= sizes[d];
    const bool ends = d == 0 || (sizes[d - 1] != 1 && strides[d - 1] != chunk * base);
    if (!ends) continue;
    while (next >= 0 && (taken < chunk || g.sizes[next] == 1)) {
      g.strides[next] = taken * base;
      taken *= g.sizes[next--];
    }
    if (taken != chunk) return false;
    if (d > 0) {
      base = strides[d - 1];
      chunk = taken = 1;
    }
  }
  return next == -1;
}

// Makes `g`, the geometry of a tensor, one of `shape`: new dimensions in front, sizes 1 repeated by
// stride 0, and -1 for "as it is".
inline void expand_to(Geometry& g, Ints shape) {
  require_rank(shape);
  const Geometry old = g;
  const int64_t rank = static_cast<int64_t>(shape.size());
  if (rank < old.rank)
    fail(TN_INVALID_ARGUMENT,
         "%lld sizes %s for a tensor of shape %s; expand needs at least as many as its rank, %lld",
         static_cast<long long>(rank), shape_text(shape).c_str(), shape_text(old.shape()).c_str(),
         static_cast<long long>(old.rank));
  g.rank = rank;
  for (int64_t d = rank - 1; d >= 0; --d) {
    const int64_t from = d - (rank - old.rank);
    const dim size = from >= 0 ? old.sizes[from] : 1;
    const dim want = shape[static_cast<size_t>(d)];
    if (want == -1 && from < 0)
      fail(TN_INVALID_ARGUMENT,
           "size -1 of the new dimension %lld in %s; only dimensions that exist keep their size",
           static_cast<long long>(d), shape_text(shape).c_str());
    if (want < -1)
      fail(TN_INVALID_ARGUMENT, "invalid size %lld in %s; sizes are 0 or more, or -1",
           static_cast<long long>(want), shape_text(shape).c_str());
    if (want != -1 && want != size && size != 1)
      fail(TN_INVALID_ARGUMENT,
           "the expanded size %lld must match the existing size %lld at dimension %lld, since that "
           "is not 1; target sizes %s, tensor sizes %s",
           static_cast<long long>(want), static_cast<long long>(size), static_cast<long long>(d),
           shape_text(shape).c_str(), shape_text(old.shape()).c_str());
    const bool repeats = want != -1 && want != size;
    g.sizes[d] = repeats ? want : size;
    // A new dimension of size 1 gets the stride that keeps a dense tensor dense.
    const int64_t outer = d + 1 < rank ? stride_product(g.sizes[d + 1], g.strides[d + 1]) : 1;
    g.strides[d] = repeats ? 0 : from >= 0 ? old.strides[from] : outer;
  }
}

}  // namespace tn::ops
