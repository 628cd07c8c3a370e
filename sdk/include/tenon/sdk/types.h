// Small value types: devices, scalars, borrowed lists.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include <tenon/sdk/error.h>

namespace tn {

using DType = tn_dtype;

// A size of a tensor, as infer functions and what they call write it. An int64_t today; comparisons
// between them are where a capture with symbolic sizes will put its guards. Negative ones are
// reserved: an argument may say -1 for "what fits", but no tensor has one and no kernel sees one.
using dim = int64_t;

constexpr bool is_floating(DType d) {
  constexpr uint64_t floats = TN_DTYPE_BIT(TN_F16) | TN_DTYPE_BIT(TN_BF16) | TN_DTYPE_BIT(TN_F32) |
                              TN_DTYPE_BIT(TN_F64) | TN_DTYPE_BIT(TN_F8E4M3) |
                              TN_DTYPE_BIT(TN_F8E5M2);
  return TN_DTYPE_BIT(d) & floats;
}
constexpr bool is_complex(DType d) {
  return d == TN_C64 || d == TN_C128;
}
constexpr bool is_integral(DType d) {
  constexpr uint64_t integers = TN_DTYPE_BIT(TN_U8) | TN_DTYPE_BIT(TN_I8) | TN_DTYPE_BIT(TN_U16) |
                                TN_DTYPE_BIT(TN_I16) | TN_DTYPE_BIT(TN_U32) | TN_DTYPE_BIT(TN_I32) |
                                TN_DTYPE_BIT(TN_U64) | TN_DTYPE_BIT(TN_I64);
  return TN_DTYPE_BIT(d) & integers;
}

// A device, by name ("cpu", "acme:1") or by the ABI's pair. Throws Error for a name that no plugin
// provides.
struct Device : tn_device {
  Device() : tn_device{TN_DEVICE_NONE, TN_DEVICE_CURRENT} {}
  Device(tn_device d) : tn_device(d) {}
  Device(const char* name) : tn_device{} { check(api->device_parse(name, this)); }
  Device(const std::string& name) : Device(name.c_str()) {}
  std::string name() const {
    std::string text = api->device_name(type);
    return index > 0 ? text + ":" + std::to_string(index) : text;
  }
  friend bool operator==(const Device& a, const Device& b) {
    return a.type == b.type && a.index == b.index;
  }
  friend bool operator!=(const Device& a, const Device& b) { return !(a == b); }
};

// A borrowed, read-only range of T. Lives no longer than what it was made from.
template <class T>
class List {
 public:
  constexpr List() = default;
  constexpr List(const T* data, size_t size) : data_(data), size_(size) {}
  List(const std::vector<T>& v) : data_(v.data()), size_(v.size()) {}
  constexpr List(std::initializer_list<T> v) : size_(v.size()) {
    data_ = v.begin();
  }  // for the full expression only
  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  constexpr const T& operator[](size_t i) const { return data_[i]; }
  std::vector<T> vector() const { return {begin(), end()}; }
  friend bool operator==(List a, List b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i)
      if (!(a.data_[i] == b.data_[i])) return false;
    return true;
  }
  friend bool operator!=(List a, List b) { return !(a == b); }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};
using Ints = List<int64_t>;
using Floats = List<double>;
using Bools = List<bool>;  // a bool is one byte, as in tn_value
static_assert(sizeof(bool) == 1, "a list of bool is a list of bytes");

// A number that keeps its own kind: bool, int, float or complex.
class Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  Scalar(T v) {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(int64_t))
      if (v > static_cast<T>(INT64_MAX))
        fail(TN_INVALID_ARGUMENT,
             "the number %llu does not fit into 64 bits with a sign; where a double will do, make "
             "it one",
             static_cast<unsigned long long>(v));
    value_.tag = std::is_same_v<T, bool> ? TN_TAG_BOOL : TN_TAG_INT;
    value_.u.i = static_cast<int64_t>(v);
  }
  // A template as the one above, so that no enumeration (a dtype) becomes a number by accident.
  template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
  Scalar(T v) {
    value_.tag = TN_TAG_FLOAT;
    value_.u.f = static_cast<double>(v);
  }
  Scalar(std::complex<double> v) : complex_{v.real(), v.imag()} { value_.tag = TN_TAG_COMPLEX; }
  // From a value of a frame: tag int, float, bool or complex.
  explicit Scalar(const tn_value& v) : value_(v) {
    if (v.tag == TN_TAG_COMPLEX) complex_ = {v.u.floats[0], v.u.floats[1]};
  }

  tn_tag tag() const { return static_cast<tn_tag>(value_.tag); }
  bool is_floating() const { return value_.tag == TN_TAG_FLOAT; }
  bool is_complex() const { return value_.tag == TN_TAG_COMPLEX; }
  double real() const {
    return is_complex()    ? complex_.real()
           : is_floating() ? value_.u.f
                           : static_cast<double>(value_.u.i);
  }
  int64_t integer() const { return is_floating() ? static_cast<int64_t>(value_.u.f) : value_.u.i; }
  std::complex<double> complex() const {
    return is_complex() ? complex_ : std::complex<double>(real());
  }
  // Points into this object: valid while it lives and does not move.
  tn_value value() const {
    tn_value v = value_;
    if (is_complex()) v.u.floats = reinterpret_cast<const double*>(&complex_);
    return v;
  }

 private:
  tn_value value_{};
  std::complex<double> complex_{};
};

}  // namespace tn
