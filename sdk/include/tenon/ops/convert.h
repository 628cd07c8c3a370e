// Copies, conversions of dtype and device, numbers out of tensors, and other memory under a tensor.
#pragma once

#include <tenon/ops/create.h>

namespace tn::ops {

// ---- copies that are always made ----------------------------------------------------------------

struct Clone : structured {
  static constexpr auto schema =
      "clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor";
  static constexpr auto doc =
      "A copy with memory of its own; the order of the strides is kept unless memory_format says "
      "otherwise.";
  static void infer(const Tensor& self, std::optional<tn_memory_format> memory_format,
                    MetaOut out) {
    set_like(out, self, self.dtype(), memory_format);
  }
  static void kernel(const Tensor& self, std::optional<tn_memory_format>, Out out) {
    check(api->tensor_copy(out->get(), self.get()));
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, [](auto g) { return g; }));
};

struct ToCopy : structured {
  static constexpr auto schema =
      "_to_copy(Tensor self, *, ScalarType? dtype=None, Device? device=None, bool "
      "non_blocking=False, MemoryFormat? memory_format=None) -> Tensor";
  static constexpr auto doc = "A copy of another dtype, device or memory format.";
  static constexpr tn_device_rule device_rule = TN_DEVICE_ARGUMENT;
  static void infer(const Tensor& self, std::optional<DType> dtype, std::optional<Device>, bool,
                    std::optional<tn_memory_format> memory_format, MetaOut out) {
    set_like(out, self, dtype.value_or(self.dtype()), memory_format);
  }
  static void kernel(const Tensor& self, std::optional<DType>, std::optional<Device>, bool,
                     std::optional<tn_memory_format>, Out out) {
    check(api->tensor_copy(out->get(), self.get()));
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<dtype_of<0>, device_of<0>>,
      [](auto g, DType dtype, const Device& device) { return _to_copy(g, dtype, device); }));
};

// ---- conversions that may return self -----------------------------------------------------------

struct conversion : composite {
  static constexpr uint32_t flags = TN_OP_RETURNS_ARGUMENT | TN_OP_NO_OUT;
};

inline bool has_format(const Tensor& t, std::optional<tn_memory_format> format) {
  switch (format.value_or(TN_PRESERVE)) {
    case TN_CONTIGUOUS:
      return t.is_contiguous();
    case TN_CHANNELS_LAST:
      return t.is_channels_last();
    default:
      return true;
  }
}

struct Contiguous : conversion {
  static constexpr auto schema =
      "contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)";
  static constexpr auto doc =
      "self when it lies in that memory format already, else a copy that does.";
  template <class T>
  static T decompose(const T& self, tn_memory_format memory_format) {
    if (memory_format == TN_PRESERVE)
      fail(TN_INVALID_ARGUMENT, "preserve_format is no format that a tensor could be brought into");
    return has_format(self, memory_format) ? self : clone(self, memory_format);
  }
};

struct To : conversion {
  static constexpr auto schema =
      "to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Device? device=None, bool "
      "non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)";
  static constexpr auto doc =
      "self when it has the dtype, device and memory format already and copy is false, else a copy "
      "that has.";
  template <class T>
  static T decompose(const T& self, std::optional<DType> dtype, std::optional<Device> device,
                     bool non_blocking, bool copy, std::optional<tn_memory_format> memory_format) {
    const bool same_dtype = !dtype || *dtype == self.dtype();
    const bool same_device =
        !device || (device->type == self.device().type &&
                    (device->index == self.device().index || device->index == TN_DEVICE_CURRENT));
    if (!copy && same_dtype && same_device && has_format(self, memory_format)) return self;
    return _to_copy(self, dtype, device, non_blocking, memory_format);
  }
};

struct ToDevice : conversion {
  static constexpr auto schema =
      "to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool "
      "copy=False, MemoryFormat? memory_format=None) -> Tensor(a)";
  static constexpr auto doc = "On a device and of a dtype: self when it is already, else a copy.";
  template <class T>
  static T decompose(const T& self, const Device& device, DType dtype, bool non_blocking, bool copy,
                     std::optional<tn_memory_format> memory_format) {
    return To::decompose<T>(self, dtype, device, non_blocking, copy, memory_format);
  }
};

struct ToDtype : conversion {
  static constexpr auto schema =
      "to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
      "MemoryFormat? memory_format=None) -> Tensor(a)";
  static constexpr auto doc = "Of a dtype: self when it is already, else a copy.";
  template <class T>
  static T decompose(const T& self, DType dtype, bool non_blocking, bool copy,
                     std::optional<tn_memory_format> memory_format) {
    return To::decompose<T>(self, dtype, std::nullopt, non_blocking, copy, memory_format);
  }
};

struct ToOther : conversion {
  static constexpr auto schema =
      "to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, "
      "MemoryFormat? memory_format=None) -> Tensor(a)";
  static constexpr auto doc =
      "With the dtype and device of other: self when it has them already, else a copy.";
  template <class T>
  static T decompose(const T& self, const T& other, bool non_blocking, bool copy,
                     std::optional<tn_memory_format> memory_format) {
    return To::decompose<T>(self, other.dtype(), other.device(), non_blocking, copy, memory_format);
  }
};

template <DType Target>
struct converted_to : conversion {
  static constexpr auto doc =
      "self as the dtype of that name: itself when it is already, else a copy.";
  template <class T>
  static T decompose(const T& self) {
    return To::decompose<T>(self, Target, std::nullopt, false, false, std::nullopt);
  }
};
struct ToFloat : converted_to<TN_F32> {
  static constexpr auto schema = "float(Tensor(a) self) -> Tensor(a)";
};
struct ToDouble : converted_to<TN_F64> {
  static constexpr auto schema = "double(Tensor(a) self) -> Tensor(a)";
};
struct ToHalf : converted_to<TN_F16> {
  static constexpr auto schema = "half(Tensor(a) self) -> Tensor(a)";
};
struct ToBfloat16 : converted_to<TN_BF16> {
  static constexpr auto schema = "bfloat16(Tensor(a) self) -> Tensor(a)";
};
struct ToInt : converted_to<TN_I32> {
  static constexpr auto schema = "int(Tensor(a) self) -> Tensor(a)";
};
struct ToLong : converted_to<TN_I64> {
  static constexpr auto schema = "long(Tensor(a) self) -> Tensor(a)";
};
struct ToBool : converted_to<TN_BOOL> {
  static constexpr auto schema = "bool(Tensor(a) self) -> Tensor(a)";
};

// ---- numbers out of tensors ---------------------------------------------------------------------

inline constexpr uint32_t reads_values =
    TN_OP_DATA_DEPENDENT | TN_OP_SYNCHRONIZES | TN_OP_NO_OUT | TN_OP_NOT_DIFFERENTIABLE;

struct LocalScalarDense : direct {
  static constexpr auto schema = "_local_scalar_dense(Tensor self) -> Scalar";
  static constexpr auto doc = "The only element, as a number of the host.";
  static constexpr tn_device_rule device_rule = TN_DEVICE_ANY;
  static constexpr uint32_t flags = reads_values;
  static Scalar kernel(const Tensor& self) {
    if (self.numel() != 1)
      fail(TN_INVALID_ARGUMENT,
           "a tensor of %lld elements; only a tensor of one can become a number",
           static_cast<long long>(self.numel()));
    tn_value v{};
    check(api->tensor_item(self.get(), &v));
    const Scalar number(v);
    api->value_drop(&v);
    return number;
  }
};

struct Item : composite {
  static constexpr auto schema = "item(Tensor self) -> Scalar";
  static constexpr auto doc = "The only element, as a number of the host.";
  static constexpr uint32_t flags = reads_values;
  template <class T>
  static Scalar decompose(const T& self) {
    return _local_scalar_dense(self);
  }
};

struct IsNonzero : composite {
  static constexpr auto schema = "is_nonzero(Tensor self) -> bool";
  static constexpr auto doc = "Whether the only element is not zero.";
  static constexpr uint32_t flags = reads_values;
  template <class T>
  static bool decompose(const T& self) {
    if (self.numel() != 1)
      fail(TN_INVALID_ARGUMENT,
           "the truth value of a tensor of %lld elements is ambiguous; use any or all",
           static_cast<long long>(self.numel()));
    return _local_scalar_dense(self).complex() != 0.0;
  }
};

struct Equal : composite {
  static constexpr auto schema = "equal(Tensor self, Tensor other) -> bool";
  static constexpr auto doc =
      "Whether both have the same shape and elements. A NaN equals nothing.";
  static constexpr tn_device_rule device_rule = TN_DEVICE_SAME;
  static constexpr uint32_t flags = reads_values;
  template <class T>
  static bool decompose(const T& self, const T& other) {
    if (self.dtype() != other.dtype())
      fail(TN_TYPE_ERROR, "self is %s and other is %s; equal needs the same dtype",
           self.describe().c_str(), other.describe().c_str());
    if (self.sizes() != other.sizes()) return false;
    return is_nonzero(all(eq(self, other)));
  }
};

// ---- other memory under a tensor ----------------------------------------------------------------

struct Resize : direct {
  static constexpr auto schema = "resize_(Tensor(a!) self, int[] size) -> Tensor(a!)";
  static constexpr auto doc =
      "Another shape in row-major order. Elements keep their places in memory, which grows where "
      "needed; what is new is uninitialised.";
  static constexpr tn_device_rule device_rule = TN_DEVICE_ANY;
  static constexpr uint32_t flags = TN_OP_INPLACE_ONLY | TN_OP_NO_OUT;
  static void kernel(const Tensor& self, Ints size) {
    require_sizes(size);
    check(api->tensor_resize(self.get(), static_cast<int32_t>(size.size()), size.data()));
  }
};

struct SetSource : direct {
  static constexpr auto schema = "set_.source_Tensor(Tensor(a!) self, Tensor source) -> Tensor(a!)";
  static constexpr auto doc = "Takes over memory, shape, dtype and device of source.";
  static constexpr tn_device_rule device_rule = TN_DEVICE_ANY;
  static constexpr uint32_t flags = TN_OP_INPLACE_ONLY | TN_OP_NO_OUT;
  static void kernel(const Tensor& self, const Tensor& source) {
    check(api->tensor_set_data(self.get(), source.get()));
  }
};

using convert_ops = list<Clone, ToCopy, Contiguous, To, ToDevice, ToDtype, ToOther, ToFloat,
                         ToDouble, ToHalf, ToBfloat16, ToInt, ToLong, ToBool, LocalScalarDense,
                         Item, IsNonzero, Equal, Resize, SetSource>;

}  // namespace tn::ops
