#include "operators.h"

#include <tenon/sdk/call.h>

namespace tn::graph::ops {

namespace {

tn_meta describe(Ints sizes, uint16_t dtype, Device device) {
  tn_meta meta;
  meta.device = device;
  meta.dtype = dtype;
  meta.layout = TN_STRIDED;
  meta.memory_format = TN_CONTIGUOUS;
  meta.has_strides = 0;
  meta.flags = 0;
  meta.ndim = static_cast<int32_t>(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) meta.sizes[i] = sizes[i];
  return meta;
}

Tensor empty(const tn_meta& meta) {
  tn_tensor* made = nullptr;
  check(api->tensor_empty(&meta, &made));
  return Tensor::own(made);
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) {
  static const Operator op("add", "Tensor");
  return op.call<Tensor>(a, b, 1);  // with every argument a call is not completed first
}
Tensor scale(const Tensor& a, double factor) {
  static const Operator op("mul", "Tensor");
  return op.call<Tensor>(a, factor);
}
Tensor clone(const Tensor& a) {
  static const Operator op("clone");
  return op.call<Tensor>(a);
}
Tensor sum(const Tensor& a, Ints dims, bool keepdim) {
  static const Operator op("sum", "dim_IntList");
  return op.call<Tensor>(a, dims, keepdim);
}
Tensor reshape(const Tensor& a, Ints sizes) {
  static const Operator op("reshape");
  return op.call<Tensor>(a, sizes);
}
Tensor permute(const Tensor& a, Ints dims) {
  static const Operator op("permute");
  return op.call<Tensor>(a, dims);
}
Tensor as_strided(const Tensor& a, Ints sizes, Ints strides, int64_t offset) {
  static const Operator op("as_strided");
  return op.call<Tensor>(a, sizes, strides, offset);
}

Tensor cast(const Tensor& a, DType dtype) {
  static const Operator op("_to_copy");
  return op.call<Tensor>(a, dtype);
}
Tensor conjugate(const Tensor& a) {
  static const Operator op("conj_physical");
  return is_complex(a.dtype()) ? op.call<Tensor>(a) : a;
}
Tensor view_as_real(const Tensor& a) {
  static const Operator op("view_as_real");
  return op.call<Tensor>(a);
}
Tensor view_as_complex(const Tensor& pairs) {
  static const Operator contiguous("contiguous"), op("view_as_complex");
  return op.call<Tensor>(contiguous.call<Tensor>(pairs));
}
void copy(const Tensor& target, const Tensor& source) {
  static const Operator op("copy_", "");
  op.call_inplace(target, source);
}
Tensor index_add(const Tensor& target, const Tensor& index, const Tensor& source) {
  static const Operator op("index_add", "");
  return op.call<Tensor>(target, int64_t{0}, index, source);
}
Tensor count_up(int64_t count, Device device) {
  static const Operator op("arange", "");
  return op.call<Tensor>(count, TN_I64, device);
}

void add_in_place(tn_tensor* target, tn_tensor* source) {
  static const Operator op("add_", "Tensor");
  tn_value args[3] = {make_value(TN_TAG_TENSOR), make_value(TN_TAG_TENSOR), to_value(1)};
  args[0].u.tensor = target;
  args[1].u.tensor = source;
  check(api->call(op.get(), args, 3, nullptr, 0));
}

Tensor filled(Ints sizes, uint16_t dtype, Device device, double value) {
  static const Operator fill("fill_", "Scalar");
  Tensor made = empty(describe(sizes, dtype, device));
  fill.call_inplace(made, value);
  return made;
}

Tensor empty_strided(Ints sizes, Ints strides, uint16_t dtype, Device device) {
  tn_meta meta = describe(sizes, dtype, device);
  meta.has_strides = 1;
  for (size_t i = 0; i < strides.size(); ++i) meta.strides[i] = strides[i];
  return empty(meta);
}

Tensor copy_of(tn_tensor* source) {
  const Tensor view = Tensor::share(source);
  Tensor made = source->flags & TN_TENSOR_DENSE
                    ? empty_strided(view.sizes(), view.strides(), source->dtype, view.device())
                    : empty(describe(view.sizes(), source->dtype, view.device()));
  check(api->tensor_copy(made.get(), source));
  return made;
}

}  // namespace tn::graph::ops
