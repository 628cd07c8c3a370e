// New tensors: uninitialised, filled with one number, or counting.
//
// A factory without a dtype makes the thread's default dtype, without a device the thread's default
// device; `*_like` and `new_*` take both from self. None of them carries a gradient.
#pragma once

#include <cmath>

#include <tenon/ops/shape.h>

namespace tn::ops {

inline DType default_dtype() {
  tn_thread_state state;
  api->thread_state_get(&state);
  return static_cast<DType>(state.default_dtype);
}

// The dtype of a tensor made of that number alone.
inline DType dtype_of_number(const Scalar& s) {
  switch (s.tag()) {
    case TN_TAG_BOOL:
      return TN_BOOL;
    case TN_TAG_INT:
      return TN_I64;
    case TN_TAG_COMPLEX:
      return default_dtype() == TN_F64 ? TN_C128 : TN_C64;
    default:
      return default_dtype();
  }
}

// The form of `self` in a memory format: preserved where none is given.
inline void set_like(MetaOut& out, const Tensor& self, DType dtype,
                     std::optional<tn_memory_format> format) {
  const tn_memory_format f = format.value_or(TN_PRESERVE);
  if (f == TN_CHANNELS_LAST && self.dim() != 4)
    fail(TN_INVALID_ARGUMENT, "channels_last needs a tensor of rank 4, not %s",
         self.describe().c_str());
  if (f == TN_PRESERVE)
    out.like(self);
  else
    out.set(self.sizes(), self.dtype()).format(f);
  out.get()->dtype = static_cast<uint16_t>(dtype);
}

struct factory : structured {
  static constexpr tn_device_rule device_rule = TN_DEVICE_ARGUMENT;
  static constexpr uint32_t flags = TN_OP_NOT_DIFFERENTIABLE;
};
struct composed_factory : composite {
  static constexpr tn_device_rule device_rule = TN_DEVICE_ARGUMENT;
  static constexpr uint32_t flags = TN_OP_NOT_DIFFERENTIABLE;
};

// ---- uninitialised ------------------------------------------------------------------------------

// The core has made the output; there is nothing left to do on any device.
struct uninitialised : factory {
  static constexpr uint32_t flags = TN_OP_NOT_DIFFERENTIABLE | TN_OP_NO_OUT;
  static void kernel(Frame&) {}
};

struct Empty : uninitialised {
  static constexpr auto schema =
      "empty.memory_format(int[] size, *, ScalarType? dtype=None, Device? device=None, "
      "MemoryFormat? memory_format=None) -> Tensor";
  static constexpr auto doc = "Uninitialised memory.";
  static void infer(Ints size, std::optional<DType> dtype, std::optional<Device>,
                    std::optional<tn_memory_format> memory_format, MetaOut out) {
    require_sizes(size);
    const tn_memory_format format = memory_format.value_or(TN_CONTIGUOUS);
    if (format == TN_PRESERVE)
      fail(TN_INVALID_ARGUMENT,
           "preserve_format needs a tensor whose format is kept; use empty_like");
    if (format == TN_CHANNELS_LAST && size.size() != 4)
      fail(TN_INVALID_ARGUMENT, "channels_last needs 4 sizes, not %s", shape_text(size).c_str());
    out.set(size, dtype ? *dtype : default_dtype()).format(format);
  }
};

struct EmptyStrided : uninitialised {
  static constexpr auto schema =
      "empty_strided(int[] size, int[] stride, *, ScalarType? dtype=None, Device? device=None) -> "
      "Tensor";
  static constexpr auto doc =
      "Uninitialised memory with strides in elements, none of them negative.";
  static void infer(Ints size, Ints stride, std::optional<DType> dtype, std::optional<Device>,
                    MetaOut out) {
    require_sizes(size);
    if (size.size() != stride.size())
      fail(TN_INVALID_ARGUMENT, "size %s and stride %s differ in length", shape_text(size).c_str(),
           shape_text(stride).c_str());
    for (int64_t s : stride)
      if (s < 0)
        fail(TN_INVALID_ARGUMENT, "stride %s has a negative entry; strides are 0 or more",
             shape_text(stride).c_str());
    out.set(size, dtype ? *dtype : default_dtype()).strides(stride);
  }
};

struct EmptyLike : uninitialised {
  static constexpr auto schema =
      "empty_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? "
      "memory_format=None) -> Tensor";
  static constexpr auto doc = "Uninitialised memory of the shape of self.";
  static void infer(const Tensor& self, std::optional<DType> dtype, std::optional<Device>,
                    std::optional<tn_memory_format> memory_format, MetaOut out) {
    set_like(out, self, dtype.value_or(self.dtype()), memory_format);
  }
};

struct NewEmpty : uninitialised {
  static constexpr auto schema =
      "new_empty(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> "
      "Tensor";
  static constexpr auto doc =
      "Uninitialised memory of another shape, with the dtype and device of self.";
  static void infer(const Tensor& self, Ints size, std::optional<DType> dtype,
                    std::optional<Device>, MetaOut out) {
    require_sizes(size);
    out.set(size, dtype.value_or(self.dtype()));
  }
};

// ---- filled -------------------------------------------------------------------------------------

struct Full : composed_factory {
  static constexpr auto schema =
      "full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None) -> "
      "Tensor";
  static constexpr auto doc =
      "Every element fill_value. Without a dtype: bool, i64, the default dtype or its complex one, "
      "by the kind of number.";
  template <class T>
  static T decompose(in<T, Ints> size, in<T, const Scalar&> fill_value,
                     in<T, std::optional<DType>> dtype, in<T, std::optional<Device>> device) {
    return fill_(empty(size, dtype.value_or(dtype_of_number(fill_value)), device), fill_value);
  }
};

template <int Value>
struct filled : composed_factory {
  template <class T>
  static T decompose(in<T, Ints> size, in<T, std::optional<DType>> dtype,
                     in<T, std::optional<Device>> device) {
    return fill_(empty(size, dtype, device), Value);
  }
};
struct Zeros : filled<0> {
  static constexpr auto schema =
      "zeros(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor";
  static constexpr auto doc = "Every element 0.";
};
struct Ones : filled<1> {
  static constexpr auto schema =
      "ones(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor";
  static constexpr auto doc = "Every element 1.";
};

struct FullLike : composed_factory {
  static constexpr auto schema =
      "full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None, "
      "MemoryFormat? memory_format=None) -> Tensor";
  static constexpr auto doc = "Every element fill_value, in the shape of self.";
  template <class T>
  static T decompose(const T& self, const Scalar& fill_value, std::optional<DType> dtype,
                     std::optional<Device> device, std::optional<tn_memory_format> memory_format) {
    return fill_(empty_like(self, dtype, device, memory_format), fill_value);
  }
};

template <int Value>
struct filled_like : composed_factory {
  template <class T>
  static T decompose(const T& self, std::optional<DType> dtype, std::optional<Device> device,
                     std::optional<tn_memory_format> memory_format) {
    return fill_(empty_like(self, dtype, device, memory_format), Value);
  }
};
struct ZerosLike : filled_like<0> {
  static constexpr auto schema =
      "zeros_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? "
      "memory_format=None) -> Tensor";
  static constexpr auto doc = "Every element 0, in the shape of self.";
};
struct OnesLike : filled_like<1> {
  static constexpr auto schema =
      "ones_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? "
      "memory_format=None) -> Tensor";
  static constexpr auto doc = "Every element 1, in the shape of self.";
};

struct NewFull : composed_factory {
  static constexpr auto schema =
      "new_full(Tensor self, int[] size, Scalar fill_value, *, ScalarType? dtype=None, Device? "
      "device=None) -> Tensor";
  static constexpr auto doc = "Every element fill_value, with the dtype and device of self.";
  template <class T>
  static T decompose(const T& self, Ints size, const Scalar& fill_value, std::optional<DType> dtype,
                     std::optional<Device> device) {
    return fill_(new_empty(self, size, dtype, device), fill_value);
  }
};

template <int Value>
struct new_filled : composed_factory {
  template <class T>
  static T decompose(const T& self, Ints size, std::optional<DType> dtype,
                     std::optional<Device> device) {
    return fill_(new_empty(self, size, dtype, device), Value);
  }
};
struct NewZeros : new_filled<0> {
  static constexpr auto schema =
      "new_zeros(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> "
      "Tensor";
  static constexpr auto doc = "Every element 0, with the dtype and device of self.";
};
struct NewOnes : new_filled<1> {
  static constexpr auto schema =
      "new_ones(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor";
  static constexpr auto doc = "Every element 1, with the dtype and device of self.";
};

struct ScalarTensor : composed_factory {
  static constexpr auto schema =
      "scalar_tensor(Scalar s, *, ScalarType? dtype=None, Device? device=None) -> Tensor";
  static constexpr auto doc =
      "A 0-dim tensor of one number, of the default dtype unless another is given.";
  template <class T>
  static T decompose(in<T, const Scalar&> s, in<T, std::optional<DType>> dtype,
                     in<T, std::optional<Device>> device) {
    return fill_(empty(in<T, Ints>(), dtype, device), s);
  }
};

// ---- counting -----------------------------------------------------------------------------------

inline dim arange_size(const Scalar& start, const Scalar& end, const Scalar& step) {
  if (start.is_complex() || end.is_complex() || step.is_complex())
    fail(TN_TYPE_ERROR, "arange counts in real numbers; start, end and step must not be complex");
  const double from = start.real(), to = end.real(), by = step.real();
  if (!std::isfinite(from) || !std::isfinite(to) || !std::isfinite(by))
    fail(TN_INVALID_ARGUMENT, "start %g, end %g and step %g must be finite", from, to, by);
  if (by == 0) fail(TN_INVALID_ARGUMENT, "step is 0; it must not be");
  if ((by > 0) != (to >= from) && to != from)
    fail(TN_INVALID_ARGUMENT, "step %g leads away from end %g when starting at %g", by, to, from);
  if (!start.is_floating() && !end.is_floating() && !step.is_floating()) {
    // Exact where double would round; the distance of two int64 needs one bit more than int64 has.
    const __int128 distance = static_cast<__int128>(end.integer()) - start.integer();
    const __int128 n = step.integer();
    const __int128 count = (distance + n + (n > 0 ? -1 : 1)) / n;
    if (count > INT64_MAX) fail(TN_INVALID_ARGUMENT, "the range has more than 2^63 elements");
    return static_cast<dim>(count);
  }
  const double count = std::ceil((to - from) / by);
  if (!(count < 0x1p63))
    fail(TN_INVALID_ARGUMENT, "the range has %g elements; that is too many", count);
  return static_cast<dim>(count);
}

struct ArangeStep : factory {
  static constexpr auto schema =
      "arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, "
      "Device? device=None) -> Tensor";
  static constexpr auto doc =
      "start, start + step, ... before end. Without a dtype i64, or the default dtype when one of "
      "the numbers is a float.";
  static void infer(const Scalar& start, const Scalar& end, const Scalar& step,
                    std::optional<DType> dtype, std::optional<Device>, MetaOut out) {
    const bool floating = start.is_floating() || end.is_floating() || step.is_floating();
    out.set({arange_size(start, end, step)}, dtype ? *dtype : floating ? default_dtype() : TN_I64);
  }
};

struct ArangeStart : composed_factory {
  static constexpr auto schema =
      "arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Device? device=None) -> "
      "Tensor";
  static constexpr auto doc = "start, start + 1, ... before end.";
  template <class T>
  static T decompose(in<T, const Scalar&> start, in<T, const Scalar&> end,
                     in<T, std::optional<DType>> dtype, in<T, std::optional<Device>> device) {
    return arange(start, end, 1, dtype, device);
  }
};

struct Arange : composed_factory {
  static constexpr auto schema =
      "arange(Scalar end, *, ScalarType? dtype=None, Device? device=None) -> Tensor";
  static constexpr auto doc = "0, 1, ... before end.";
  template <class T>
  static T decompose(in<T, const Scalar&> end, in<T, std::optional<DType>> dtype,
                     in<T, std::optional<Device>> device) {
    return arange(0, end, 1, dtype, device);
  }
};

struct Linspace : factory {
  static constexpr auto schema =
      "linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Device? "
      "device=None) -> Tensor";
  static constexpr auto doc =
      "`steps` numbers at equal distances from start to end, both included.";
  static void infer(const Scalar& start, const Scalar& end, int64_t steps,
                    std::optional<DType> dtype, std::optional<Device>, MetaOut out) {
    if (steps < 0)
      fail(TN_INVALID_ARGUMENT, "steps is %lld; it must be 0 or more",
           static_cast<long long>(steps));
    const bool complex = start.is_complex() || end.is_complex();
    const DType natural =
        complex ? dtype_of_number(start.is_complex() ? start : end) : default_dtype();
    if (complex && dtype && !is_complex(*dtype))
      fail(TN_TYPE_ERROR, "a complex start or end does not fit dtype %s", api->dtype_name(*dtype));
    out.set({steps}, dtype.value_or(natural));
  }
};

struct Logspace : composed_factory {
  static constexpr auto schema =
      "logspace(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, "
      "Device? device=None) -> Tensor";
  static constexpr auto doc =
      "base to the power of `steps` numbers at equal distances from start to end.";
  template <class T>
  static T decompose(in<T, const Scalar&> start, in<T, const Scalar&> end, in<T, int64_t> steps,
                     in<T, double> base, in<T, std::optional<DType>> dtype,
                     in<T, std::optional<Device>> device) {
    // Integers would lose the fractions of the exponents.
    const DType wanted = dtype ? *dtype : default_dtype();
    const DType exact = is_floating(wanted) || is_complex(wanted) ? wanted : TN_F64;
    return to(pow(base, linspace(start, end, steps, exact, device)), wanted);
  }
};

struct EyeMatrix : factory {
  static constexpr auto schema =
      "eye.m(int n, int m, *, ScalarType? dtype=None, Device? device=None) -> Tensor";
  static constexpr auto doc =
      "An n by m matrix with ones on the main diagonal and zeros elsewhere.";
  static void infer(int64_t n, int64_t m, std::optional<DType> dtype, std::optional<Device>,
                    MetaOut out) {
    require_sizes({n, m});
    out.set({n, m}, dtype ? *dtype : default_dtype());
  }
};

struct Eye : composed_factory {
  static constexpr auto schema =
      "eye(int n, *, ScalarType? dtype=None, Device? device=None) -> Tensor";
  static constexpr auto doc = "The identity matrix of n rows.";
  template <class T>
  static T decompose(in<T, int64_t> n, in<T, std::optional<DType>> dtype,
                     in<T, std::optional<Device>> device) {
    return eye(n, n, dtype, device);
  }
};

using create_ops = list<Empty, EmptyStrided, EmptyLike, NewEmpty, Zeros, Ones, Full, ZerosLike,
                        OnesLike, FullLike, NewZeros, NewOnes, NewFull, ScalarTensor, Arange,
                        ArangeStart, ArangeStep, Linspace, Logspace, Eye, EyeMatrix>;

}  // namespace tn::ops
