// Typed kernels: a C++ function becomes a tn_kernel_fn or tn_infer_fn, its parameters taken from
// the frame by type.
//
//   void mm(const Tensor& self, const Tensor& mat2, Out out);                 kernel_fn<mm>:
//   structured, out is given Tensor view(const Tensor& self, Ints size); kernel_fn<view>: direct,
//   results are made void mm_infer(const Tensor& self, const Tensor& mat2, MetaOut out);
//   infer_fn<mm_infer>
//
// Parameter types: const Tensor& (an absent one is undefined), Tensors, Scalar, int64_t, double,
// bool, Ints, Floats, Bools, DType, tn_memory_format, Device, const char*, tn_object*,
// std::optional of these, const tn_value& (as it is); Out and MetaOut take the outputs in order;
// Frame& gives the frame anywhere in the list. Exceptions become status.
#pragma once

#include <tenon/sdk/call.h>

namespace tn {

// The running call.
struct Frame {
  tn_frame* raw;
  void* state;
  const tn_value* args;
  uint32_t nargs;
  tn_value* rets;
  uint32_t nrets;
  const tn_plan& plan() const { return *raw->plan; }
  // Uninitialised memory until the kernel returns. Throws Error when there is none.
  template <class T>
  T* scratch(size_t count) const {
    void* p = count <= SIZE_MAX / sizeof(T) ? api->scratch(raw, count * sizeof(T)) : nullptr;
    if (!p) check(api->status_out_of_memory());
    return static_cast<T*>(p);
  }
};

// An output that exists already, borrowed.
class Out {
 public:
  explicit Out(tn_tensor* t) : tensor_(Tensor::own(t)) {}
  Out(const Out& o) : tensor_(Tensor::own(o.tensor_.get())) {}
  Out& operator=(const Out&) = delete;
  ~Out() { tensor_.release(); }
  const Tensor& operator*() const { return tensor_; }
  const Tensor* operator->() const { return &tensor_; }
  bool defined() const { return tensor_.defined(); }

 private:
  Tensor tensor_;
};

// What an output will be, to be written by an infer function. Device is preset to the call's.
class MetaOut {
 public:
  explicit MetaOut(tn_meta* meta) : meta_(meta) {}
  // Row-major unless a memory format or strides follow.
  MetaOut& set(Ints sizes, DType dtype) {
    if (sizes.size() > TN_MAX_DIMS)
      fail(TN_INVALID_ARGUMENT, "a result of rank %zu; at most %d are possible", sizes.size(),
           TN_MAX_DIMS);
    meta_->dtype = static_cast<uint16_t>(dtype);
    meta_->ndim = static_cast<int32_t>(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) meta_->sizes[i] = sizes[i];
    return *this;
  }
  MetaOut& format(tn_memory_format f) {
    meta_->memory_format = static_cast<uint16_t>(f);
    return *this;
  }
  MetaOut& strides(Ints strides) {
    meta_->has_strides = 1;
    for (size_t i = 0; i < strides.size(); ++i) meta_->strides[i] = strides[i];
    return *this;
  }
  MetaOut& device(Device d) {
    meta_->device = d;
    return *this;
  }
  // Sizes, dtype and dense stride order of another tensor.
  MetaOut& like(const Tensor& t) {
    set(t.sizes(), t.dtype());
    if (t.get()->flags & TN_TENSOR_DENSE) strides(t.strides());
    return *this;
  }
  // No such result in this call (an optional one).
  void none() { meta_->dtype = TN_DTYPE_NONE; }
  // The kernel makes this result, by frame.rets, and only its provider's kernels will see it.
  void provider_defined() {
    none();
    meta_->flags |= TN_META_PROVIDER_DEFINED;
  }
  tn_meta* get() const { return meta_; }

 private:
  tn_meta* meta_;
};

namespace detail {

// How a parameter type is read from a value. `get` returns something convertible to the parameter.
template <class T>
struct Param;

struct BorrowedTensor {
  Tensor tensor;
  explicit BorrowedTensor(tn_tensor* t) : tensor(Tensor::own(t)) {}
  BorrowedTensor(const BorrowedTensor& o) : tensor(Tensor::own(o.tensor.get())) {}
  ~BorrowedTensor() { tensor.release(); }
  operator const Tensor&() const { return tensor; }
};
template <>
struct Param<Tensor> {
  static BorrowedTensor get(const tn_value& v) {
    return BorrowedTensor(v.tag == TN_TAG_TENSOR ? v.u.tensor : nullptr);
  }
};
template <>
struct Param<Tensors> {
  static Tensors get(const tn_value& v) {
    return {reinterpret_cast<const Tensor*>(v.u.tensors), v.len};
  }
};
template <>
struct Param<Scalar> {
  static Scalar get(const tn_value& v) { return Scalar(v); }
};
template <>
struct Param<int64_t> {
  static int64_t get(const tn_value& v) { return v.u.i; }
};
template <>
struct Param<bool> {
  static bool get(const tn_value& v) { return v.u.i != 0; }
};
template <>
struct Param<double> {
  static double get(const tn_value& v) { return v.u.f; }
};
template <>
struct Param<Ints> {
  static Ints get(const tn_value& v) { return {v.u.ints, v.len}; }
};
template <>
struct Param<Floats> {
  static Floats get(const tn_value& v) { return {v.u.floats, v.len}; }
};
template <>
struct Param<Bools> {
  static Bools get(const tn_value& v) {
    return Bools(reinterpret_cast<const bool*>(v.u.bools), v.len);
  }
};
template <>
struct Param<DType> {
  static DType get(const tn_value& v) { return static_cast<DType>(v.u.i); }
};
template <>
struct Param<tn_memory_format> {
  static tn_memory_format get(const tn_value& v) { return static_cast<tn_memory_format>(v.u.i); }
};
template <>
struct Param<Device> {
  static Device get(const tn_value& v) { return v.u.device; }
};
template <>
struct Param<const char*> {
  static const char* get(const tn_value& v) { return v.u.str; }
};
template <>
struct Param<tn_object*> {
  static tn_object* get(const tn_value& v) { return v.tag == TN_TAG_OBJECT ? v.u.object : nullptr; }
};
template <>
struct Param<tn_value> {
  static const tn_value& get(const tn_value& v) { return v; }
};
template <class T>
struct Param<std::optional<T>> {
  static std::optional<T> get(const tn_value& v) {
    if (v.tag == TN_TAG_NONE) return std::nullopt;
    return std::optional<T>(static_cast<const T&>(Param<T>::get(v)));
  }
};

template <class T>
using Bare = std::remove_cv_t<std::remove_reference_t<T>>;
template <class T>
inline constexpr bool is_output = std::is_same_v<Bare<T>, Out> || std::is_same_v<Bare<T>, MetaOut>;
template <class T>
inline constexpr bool is_argument = !is_output<T> && !std::is_same_v<Bare<T>, Frame>;

// Position of parameter I among the arguments, or among the outputs.
template <size_t I, class... P>
constexpr size_t argument_index() {
  constexpr bool flags[] = {is_argument<P>...};
  size_t n = 0;
  for (size_t i = 0; i < I; ++i) n += flags[i];
  return n;
}
template <size_t I, class... P>
constexpr size_t output_index() {
  constexpr bool flags[] = {is_output<P>...};
  size_t n = 0;
  for (size_t i = 0; i < I; ++i) n += flags[i];
  return n;
}

template <size_t I, class... P>
decltype(auto) parameter(Frame& frame, tn_meta* metas) {
  using T = Bare<std::tuple_element_t<I, std::tuple<P...>>>;
  if constexpr (std::is_same_v<T, Frame>)
    return (frame);
  else if constexpr (std::is_same_v<T, Out>) {
    const tn_value& v = frame.rets[output_index<I, P...>()];
    return Out(v.tag == TN_TAG_TENSOR ? v.u.tensor : nullptr);
  } else if constexpr (std::is_same_v<T, MetaOut>)
    return MetaOut(metas + output_index<I, P...>());
  else
    return Param<T>::get(frame.args[argument_index<I, P...>()]);
}

inline void give(tn_value* v, Tensor&& t) {
  *v = make_value(t.defined() ? TN_TAG_TENSOR : TN_TAG_NONE);
  v->u.tensor = t.release();
}
inline void give(tn_value* v, bool b) {
  *v = to_value(b);
}
inline void give(tn_value* v, int64_t i) {
  *v = to_value(i);
}
inline void give(tn_value* v, double f) {
  *v = to_value(f);
}
inline void give(tn_value* v, const Scalar& s) {
  check(api->value_copy(&static_cast<const tn_value&>(s.value()), v));
}
inline void give(tn_value* v, std::vector<Tensor>&& list) {
  auto** tensors = static_cast<tn_tensor**>(api->value_alloc(list.size() * sizeof(tn_tensor*)));
  if (!tensors) check(api->status_out_of_memory());
  for (size_t i = 0; i < list.size(); ++i) tensors[i] = list[i].release();
  *v = make_value(TN_TAG_TENSORS);
  v->len = static_cast<uint32_t>(list.size());
  v->u.tensors = tensors;
}
template <class... T>
void give(tn_value* v, std::tuple<T...>&& results) {
  std::apply([&](T&... r) { (give(v++, std::move(r)), ...); }, results);
}

template <class F>
struct Typed;
template <class R, class... P>
struct Typed<R (*)(P...)> {
  static constexpr size_t arguments = (size_t{0} + ... + is_argument<P>);

  template <auto Fn, size_t... I>
  static void run(Frame& frame, tn_meta* metas, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>)
      Fn(static_cast<P>(parameter<I, P...>(frame, metas))...);
    else
      give(frame.rets, Fn(static_cast<P>(parameter<I, P...>(frame, metas))...));
  }
  template <auto Fn>
  static tn_status kernel(tn_frame* raw, void* state, const tn_value* args, uint32_t nargs,
                          tn_value* rets, uint32_t nrets) noexcept {
    return guard([&] {
      Frame frame{raw, state, args, nargs, rets, nrets};
      run<Fn>(frame, nullptr, std::index_sequence_for<P...>{});
    });
  }
  template <auto Fn>
  static tn_status infer(tn_frame* raw, void* state, const tn_value* args, uint32_t nargs,
                         tn_meta* metas, uint32_t nrets) noexcept {
    return guard([&] {
      Frame frame{raw, state, args, nargs, nullptr, nrets};
      run<Fn>(frame, metas, std::index_sequence_for<P...>{});
    });
  }
};

}  // namespace detail

// The ABI's functions for a typed one. The function's parameters must follow the schema;
// registration checks the count.
template <auto Fn>
inline constexpr tn_kernel_fn kernel_fn = detail::Typed<decltype(Fn)>::template kernel<Fn>;
template <auto Fn>
inline constexpr tn_infer_fn infer_fn = detail::Typed<decltype(Fn)>::template infer<Fn>;

}  // namespace tn
