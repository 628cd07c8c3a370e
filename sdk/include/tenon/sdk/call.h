// Typed operator calls: C++ arguments into a frame on the stack, results out of it.
//
// <tenon/calls.h>, generated from the operators' declarations, is made of these; use them directly
// for operators of other plugins: `static const tn::Operator swiglu("acme.swiglu"); Tensor y =
// swiglu.call<Tensor>(x, 1.5);`
#pragma once

#include <atomic>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include <tenon/sdk/tensor.h>

namespace tn {

// ---- one C++ argument as a value; all borrow
// ------------------------------------------------------------------------

inline tn_value make_value(tn_tag tag) {
  return {static_cast<uint16_t>(tag), 0, 0, {}};
}

inline tn_value to_value(const Tensor& t) {
  tn_value v = make_value(t.defined() ? TN_TAG_TENSOR : TN_TAG_NONE);
  v.u.tensor = t.get();
  return v;
}
inline tn_value to_value(const Operand& o) {
  return o.value();
}
inline tn_value to_value(const Scalar& s) {
  return s.value();
}
inline tn_value to_value(bool b) {
  tn_value v = make_value(TN_TAG_BOOL);
  v.u.i = b;
  return v;
}
inline tn_value to_value(int64_t i) {
  tn_value v = make_value(TN_TAG_INT);
  v.u.i = i;
  return v;
}
inline tn_value to_value(int i) {
  return to_value(static_cast<int64_t>(i));
}
inline tn_value to_value(double f) {
  tn_value v = make_value(TN_TAG_FLOAT);
  v.u.f = f;
  return v;
}
inline tn_value to_value(DType d) {
  tn_value v = make_value(TN_TAG_DTYPE);
  v.u.i = d;
  return v;
}
inline tn_value to_value(tn_memory_format f) {
  tn_value v = make_value(TN_TAG_MEMORY_FORMAT);
  v.u.i = f;
  return v;
}
inline tn_value to_value(const Device& d) {
  if (d.type == TN_DEVICE_NONE) return make_value(TN_TAG_NONE);
  tn_value v = make_value(TN_TAG_DEVICE);
  v.u.device = d;
  return v;
}
inline tn_value to_value(Ints list) {
  tn_value v = make_value(TN_TAG_INTS);
  v.len = static_cast<uint32_t>(list.size());
  v.u.ints = list.data();
  return v;
}
inline tn_value to_value(Floats list) {
  tn_value v = make_value(TN_TAG_FLOATS);
  v.len = static_cast<uint32_t>(list.size());
  v.u.floats = list.data();
  return v;
}
inline tn_value to_value(Bools list) {
  tn_value v = make_value(TN_TAG_BOOLS);
  v.len = static_cast<uint32_t>(list.size());
  v.u.bools = reinterpret_cast<const uint8_t*>(list.data());
  return v;
}
inline tn_value to_value(Tensors list) {
  tn_value v = make_value(TN_TAG_TENSORS);
  v.len = static_cast<uint32_t>(list.size());
  v.u.tensors = reinterpret_cast<tn_tensor* const*>(list.data());
  return v;
}
inline tn_value to_value(const char* text) {  // null-terminated, as the ABI asks
  tn_value v = make_value(TN_TAG_STRING);
  v.len = static_cast<uint32_t>(__builtin_strlen(text));
  v.u.str = text;
  return v;
}
inline tn_value to_value(tn_object* o) {
  tn_value v = make_value(o ? TN_TAG_OBJECT : TN_TAG_NONE);
  v.u.object = o;
  return v;
}
inline tn_value to_value(std::nullopt_t) {
  return make_value(TN_TAG_NONE);
}
template <class T>
tn_value to_value(const std::optional<T>& o) {
  return o ? to_value(*o) : make_value(TN_TAG_NONE);
}

// ---- results
// ----------------------------------------------------------------------------------------------------------

namespace detail {

template <class R>
struct Results;  // how many values a C++ result type is, and how it is made of them

template <>
struct Results<void> {
  static constexpr uint32_t count = 0;
  static void take(tn_value*) {}
};
template <>
struct Results<Tensor> {
  static constexpr uint32_t count = 1;
  static Tensor take(tn_value* v) {
    return v->tag == TN_TAG_TENSOR ? Tensor::own(v->u.tensor) : Tensor();
  }
};
template <>
struct Results<Scalar> {
  static constexpr uint32_t count = 1;
  static Scalar take(tn_value* v) {
    Scalar s(*v);
    api->value_drop(v);
    return s;
  }
};
template <>
struct Results<bool> {
  static constexpr uint32_t count = 1;
  static bool take(tn_value* v) { return v->u.i != 0; }
};
template <>
struct Results<int64_t> {
  static constexpr uint32_t count = 1;
  static int64_t take(tn_value* v) { return v->u.i; }
};
template <>
struct Results<std::vector<Tensor>> {
  static constexpr uint32_t count = 1;
  static std::vector<Tensor> take(tn_value* v) {
    struct Drop {  // also when there is no memory for the vector
      tn_value* value;
      ~Drop() { api->value_drop(value); }
    } drop{v};
    std::vector<Tensor> out;
    out.reserve(v->len);
    for (uint32_t i = 0; i < v->len; ++i) out.push_back(Tensor::share(v->u.tensors[i]));
    return out;
  }
};
template <class... T>
struct Results<std::tuple<T...>> {
  static constexpr uint32_t count = sizeof...(T);
  static std::tuple<T...> take(tn_value* v) { return take(v, std::index_sequence_for<T...>{}); }
  template <size_t... I>
  static std::tuple<T...> take(tn_value* v, std::index_sequence<I...>) {
    return std::tuple<T...>{Results<T>::take(v + I)...};
  }
};

}  // namespace detail

// An operator, looked up at its first call: make it once, a static, and call often. The names must
// outlive it, as literals do. Such a static needs no guard, which a fork in the midst of a look-up
// would leave shut in the child for good.
class Operator {
 public:
  constexpr Operator(const char* name, const char* overload = nullptr, uint64_t schema_hash = 0)
      : name_(name), overload_(overload), schema_hash_(schema_hash) {}
  constexpr explicit Operator(const tn_op* op) : op_(op) {}
  Operator(const Operator& other)
      : name_(other.name_),
        overload_(other.overload_),
        schema_hash_(other.schema_hash_),
        op_(other.op_.load(std::memory_order_acquire)) {}
  Operator& operator=(const Operator&) = delete;

  // Throws Error when no plugin provides it.
  const tn_op* get() const {
    const tn_op* op = op_.load(std::memory_order_acquire);
    return op ? op : find();
  }

  // Functional form. R: void, Tensor, std::vector<Tensor>, Scalar, bool, int64_t or a tuple of
  // these.
  template <class R, class... Args>
  R call(const Args&... args) const {
    constexpr uint32_t count = detail::Results<R>::count;
    const tn_value in[sizeof...(Args) + 1] = {to_value(args)..., tn_value{}};
    tn_value out[count + 1] = {};
    check(api->call(get(), in, sizeof...(Args), out, count));
    return detail::Results<R>::take(out);
  }
  // Out form (the handle must be of that form): writes `out`.
  template <class... Args>
  void call_out(const Tensor& out, const Args&... args) const {
    const tn_value in[sizeof...(Args) + 1] = {to_value(args)..., tn_value{}};
    tn_value ret = to_value(out);
    check(api->call(get(), in, sizeof...(Args), &ret, 1));
  }
  // In-place form: writes the first argument.
  template <class... Args>
  void call_inplace(const Args&... args) const {
    const tn_value in[sizeof...(Args) + 1] = {to_value(args)..., tn_value{}};
    check(api->call(get(), in, sizeof...(Args), nullptr, 0));
  }

 private:
  [[gnu::noinline, gnu::cold]] const tn_op* find() const {
    const tn_op* op = nullptr;
    check(api->resolve_op(name_, overload_, schema_hash_, &op));
    op_.store(op, std::memory_order_release);
    return op;
  }

  const char* name_ = nullptr;
  const char* overload_ = nullptr;
  uint64_t schema_hash_ = 0;
  mutable std::atomic<const tn_op*> op_{nullptr};
};

}  // namespace tn
