// Several tensors as one.
#pragma once

#include <tenon/ops/shape.h>

namespace tn::ops {

// An empty 1-dim tensor joins anything, as in PyTorch, where it once was the only empty tensor.
inline bool is_joined(const Tensor& t) {
  return t.dim() != 1 || t.numel() != 0;
}

struct Cat : structured {
  static constexpr auto schema = "cat(Tensor[] tensors, int dim=0) -> Tensor";
  static constexpr auto doc =
      "Tensors one after another along dim; their other sizes agree. The result has their common "
      "dtype. Tensors of shape [0] are passed over.";

  static void infer(Tensors tensors, int64_t dim, MetaOut out) {
    if (tensors.empty()) fail(TN_INVALID_ARGUMENT, "tensors is empty; cat needs at least one");
    const Tensor* first = nullptr;
    int64_t length = 0, d = 0;
    bool channels_last = true;
    DType dtype = tensors[0].dtype();
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& t = tensors[i];
      if (t.dim() == 0)
        fail(TN_INVALID_ARGUMENT,
             "tensor %zu is 0-dim; cat joins tensors along a dimension, stack makes one", i);
      dtype = common_dtype(dtype, t, i);
      if (!is_joined(t)) continue;
      channels_last = channels_last && t.is_channels_last() && !t.is_contiguous();
      if (!first) {
        first = &t;
        d = wrap_dim(dim, t.dim());
      }
      require_match(*first, t, i, d);
      if (__builtin_add_overflow(length, t.size(d), &length))
        fail(TN_INVALID_ARGUMENT, "the joined size of dimension %lld exceeds int64",
             static_cast<long long>(d));
    }
    if (!first) {
      wrap_dim(dim, 1);
      out.set({0}, dtype);
      return;
    }
    Geometry g;
    for (int64_t size : first->sizes()) g.append(size, 1);
    g.sizes[d] = length;
    out.set(g.shape(), dtype).format(channels_last ? TN_CHANNELS_LAST : TN_CONTIGUOUS);
  }

  // Hands each tensor and its place in the result to `visit`.
  template <class Visit>
  static void each_part(Tensors tensors, int64_t dim, const Tensor& out, Visit&& visit) {
    const int64_t d = wrap_dim(dim, out.dim());
    int64_t start = 0;
    for (const Tensor& t : tensors) {
      if (!is_joined(t)) continue;
      Geometry place(out);
      place.narrow(d, start, t.size(d));
      start += t.size(d);
      if (t.numel() > 0) visit(t, place);
    }
  }
  // Converts dtypes on the way.
  static void copy_part(const Tensor& part, const Geometry& place, const Tensor& out) {
    check(api->tensor_copy(make_view(out, place).get(), part.get()));
  }
  static void kernel(Tensors tensors, int64_t dim, Out out) {
    each_part(tensors, dim, *out,
              [&](const Tensor& t, const Geometry& place) { copy_part(t, place, *out); });
  }

  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<metas<0>, integer<1>>, [](auto g, List<tn_meta> parts, int64_t dim) {
        std::vector<decltype(g)> grads;
        grads.reserve(parts.size());
        int64_t start = 0;
        const int64_t d = dim < 0 ? dim + g.dim() : dim;
        for (const tn_meta& part : parts) {
          const Ints sizes(part.sizes, static_cast<size_t>(part.ndim));
          if (part.ndim == 1 && part.sizes[0] == 0) {  // see is_joined
            grads.push_back(new_zeros(g, sizes));
            continue;
          }
          grads.push_back(narrow(g, d, start, sizes[static_cast<size_t>(d)]));
          start += sizes[static_cast<size_t>(d)];
        }
        return grads;
      }));

 private:
  static DType common_dtype(DType so_far, const Tensor& t, size_t i) {
    const DType common = so_far == t.dtype() ? so_far : api->dtype_promote(so_far, t.dtype());
    if (common == TN_DTYPE_NONE)
      fail(TN_TYPE_ERROR, "tensor %zu is %s, which has no common dtype with %s of those before it",
           i, t.describe().c_str(), api->dtype_name(so_far));
    return common;
  }
  static void require_match(const Tensor& first, const Tensor& t, size_t i, int64_t d) {
    bool match = t.dim() == first.dim();
    for (int64_t k = 0; match && k < t.dim(); ++k) match = k == d || t.size(k) == first.size(k);
    if (!match)
      fail(TN_INVALID_ARGUMENT,
           "tensor %zu has shape %s; to be joined with shape %s along dimension %lld, all other "
           "sizes must agree",
           i, shape_text(t.sizes()).c_str(), shape_text(first.sizes()).c_str(),
           static_cast<long long>(d));
  }
};

struct Stack : composite {
  static constexpr auto schema = "stack(Tensor[] tensors, int dim=0) -> Tensor";
  static constexpr auto doc = "Tensors of one shape along a new dimension dim.";
  static constexpr tn_device_rule device_rule = TN_DEVICE_SAME;
  template <class T>
  static T decompose(List<T> tensors, int64_t dim) {
    if (tensors.empty()) fail(TN_INVALID_ARGUMENT, "tensors is empty; stack needs at least one");
    std::vector<T> rows;
    rows.reserve(tensors.size());
    const int64_t d = wrap_dim(dim, tensors[0].dim() + 1);
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].sizes() != tensors[0].sizes())
        fail(TN_INVALID_ARGUMENT,
             "tensor %zu has shape %s and tensor 0 has %s; stack needs one shape", i,
             shape_text(tensors[i].sizes()).c_str(), shape_text(tensors[0].sizes()).c_str());
      rows.push_back(unsqueeze(tensors[i], d));
    }
    return cat(List<T>(rows), d);
  }
};

// Joins along `dim` what `raise` makes of each tensor.
template <class T, class Raise>
T join_raised(List<T> tensors, Raise&& raise, int64_t dim) {
  if (tensors.empty()) fail(TN_INVALID_ARGUMENT, "tensors is empty; at least one is needed");
  std::vector<T> raised;
  raised.reserve(tensors.size());
  for (const T& t : tensors) raised.push_back(raise(t));
  return cat(List<T>(raised), dim);
}

struct stacked : composite {
  static constexpr tn_device_rule device_rule = TN_DEVICE_SAME;
};

struct Concat : stacked {
  static constexpr auto schema = "concat(Tensor[] tensors, int dim=0) -> Tensor";
  static constexpr auto doc = "Another name of cat.";
  template <class T>
  static T decompose(List<T> tensors, int64_t dim) {
    return cat(tensors, dim);
  }
};

struct Hstack : stacked {
  static constexpr auto schema = "hstack(Tensor[] tensors) -> Tensor";
  static constexpr auto doc = "Tensors side by side: along dimension 1, vectors along dimension 0.";
  template <class T>
  static T decompose(List<T> tensors) {
    const int64_t dim = !tensors.empty() && tensors[0].dim() > 1;
    return join_raised(
        tensors, [](const T& t) { return atleast_1d(t); }, dim);
  }
};

struct Vstack : stacked {
  static constexpr auto schema = "vstack(Tensor[] tensors) -> Tensor";
  static constexpr auto doc = "Tensors on top of each other along dimension 0; vectors are rows.";
  template <class T>
  static T decompose(List<T> tensors) {
    return join_raised(
        tensors, [](const T& t) { return atleast_2d(t); }, 0);
  }
};

struct Dstack : stacked {
  static constexpr auto schema = "dstack(Tensor[] tensors) -> Tensor";
  static constexpr auto doc =
      "Tensors behind each other along dimension 2, each made three-dimensional by atleast_3d.";
  template <class T>
  static T decompose(List<T> tensors) {
    return join_raised(
        tensors, [](const T& t) { return atleast_3d(t); }, 2);
  }
};

struct ColumnStack : stacked {
  static constexpr auto schema = "column_stack(Tensor[] tensors) -> Tensor";
  static constexpr auto doc = "Tensors along dimension 1; numbers and vectors are columns.";
  template <class T>
  static T decompose(List<T> tensors) {
    return join_raised(
        tensors,
        [](const T& t) {
          return t.dim() <= 1 ? reshape(t, {t.numel(), 1}) : t;
        },
        1);
  }
};

using join_ops = list<Cat, Concat, Stack, Hstack, Vstack, Dstack, ColumnStack>;

}  // namespace tn::ops
