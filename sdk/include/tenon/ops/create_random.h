// New tensors of random numbers. Those in place on a tensor that exists are in random.h.
#pragma once

#include <tenon/ops/create.h>

namespace tn::ops {

// Integers from 0 up to this, not included, are exact in a dtype; negative for one that holds none.
inline int64_t exact_limit(DType dtype) {
  switch (dtype) {
    case TN_U8:
      return int64_t{1} << 8;
    case TN_I8:
      return int64_t{1} << 7;
    case TN_I16:
      return int64_t{1} << 15;
    case TN_I32:
      return int64_t{1} << 31;
    case TN_I64:
      return INT64_MAX;
    case TN_F16:
      return (int64_t{1} << 11) + 1;
    case TN_BF16:
      return (int64_t{1} << 8) + 1;
    case TN_F32:
      return (int64_t{1} << 24) + 1;
    case TN_F64:
      return (int64_t{1} << 53) + 1;
    default:
      return -1;
  }
}

struct random_factory : composed_factory {
  static constexpr uint32_t flags = TN_OP_NOT_DIFFERENTIABLE | TN_OP_RNG;

  // Both parts of complex numbers are drawn.
  template <class T, class... Generator>
  static T uniform(const T& made, Generator... generator) {
    uniform_(is_complex(made.dtype()) ? view_as_real(made) : made, 0.0, 1.0, generator...);
    return made;
  }
  template <class T, class... Generator>
  static T normal(const T& made, Generator... generator) {
    if (is_complex(made.dtype()))
      normal_(view_as_real(made), 0.0, 0.70710678118654752440, generator...);
    else
      normal_(made, 0.0, 1.0, generator...);
    return made;
  }
};

struct Rand : random_factory {
  static constexpr auto schema =
      "rand(int[] size, *, ScalarType? dtype=None, Device? device=None, Generator? generator=None) "
      "-> Tensor";
  static constexpr auto doc =
      "Uniformly distributed in [0, 1), as are both parts of complex numbers.";
  template <class T>
  static T decompose(in<T, Ints> size, in<T, std::optional<DType>> dtype,
                     in<T, std::optional<Device>> device, in<T, tn_object*> generator) {
    return uniform<T>(empty(size, dtype, device), generator);
  }
};

struct Randn : random_factory {
  static constexpr auto schema =
      "randn(int[] size, *, ScalarType? dtype=None, Device? device=None, Generator? "
      "generator=None) -> Tensor";
  static constexpr auto doc =
      "Normally distributed with mean 0 and variance 1, half of it each in the parts of complex "
      "numbers.";
  template <class T>
  static T decompose(in<T, Ints> size, in<T, std::optional<DType>> dtype,
                     in<T, std::optional<Device>> device, in<T, tn_object*> generator) {
    return normal<T>(empty(size, dtype, device), generator);
  }
};

struct RandLike : random_factory {
  static constexpr auto schema =
      "rand_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? "
      "memory_format=None) -> Tensor";
  static constexpr auto doc = "Uniformly distributed in [0, 1), in the shape of self.";
  template <class T>
  static T decompose(const T& self, std::optional<DType> dtype, std::optional<Device> device,
                     std::optional<tn_memory_format> memory_format) {
    return uniform<T>(empty_like(self, dtype, device, memory_format));
  }
};

struct RandnLike : random_factory {
  static constexpr auto schema =
      "randn_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? "
      "memory_format=None) -> Tensor";
  static constexpr auto doc =
      "Normally distributed with mean 0 and variance 1, in the shape of self.";
  template <class T>
  static T decompose(const T& self, std::optional<DType> dtype, std::optional<Device> device,
                     std::optional<tn_memory_format> memory_format) {
    return normal<T>(empty_like(self, dtype, device, memory_format));
  }
};

struct RandintLow : factory {
  static constexpr auto schema =
      "randint.low(int low, int high, int[] size, *, ScalarType? dtype=None, Device? device=None, "
      "Generator? generator=None) -> Tensor";
  static constexpr auto doc =
      "Uniformly distributed integers in [low, high); i64 unless dtype says otherwise.";
  static constexpr uint32_t flags = TN_OP_NOT_DIFFERENTIABLE | TN_OP_RNG;
  static void infer(int64_t low, int64_t high, Ints size, std::optional<DType> dtype,
                    std::optional<Device>, tn_object*, MetaOut out) {
    require_sizes(size);
    if (low >= high)
      fail(TN_INVALID_ARGUMENT, "low is %lld and high is %lld; low must be less than high",
           static_cast<long long>(low), static_cast<long long>(high));
    const DType d = dtype.value_or(TN_I64);
    const int64_t limit = exact_limit(d);
    if (limit < 0)
      fail(TN_TYPE_ERROR, "random integers in dtype %s; integers and floats can hold them",
           api->dtype_name(d));
    // Two's complement holds one number more below zero than above it; u8 holds none there.
    const int64_t lowest = d == TN_U8 ? 0 : is_integral(d) ? -limit : 1 - limit;
    if (d != TN_I64 && (low < lowest || high > limit))
      fail(TN_INVALID_ARGUMENT,
           "integers in [%lld, %lld) do not fit dtype %s, which holds [%lld, %lld)",
           static_cast<long long>(low), static_cast<long long>(high), api->dtype_name(d),
           static_cast<long long>(lowest), static_cast<long long>(limit));
    out.set(size, d);
  }
};

struct Randint : random_factory {
  static constexpr auto schema =
      "randint(int high, int[] size, *, ScalarType? dtype=None, Device? device=None, Generator? "
      "generator=None) -> Tensor";
  static constexpr auto doc =
      "Uniformly distributed integers in [0, high); i64 unless dtype says otherwise.";
  template <class T>
  static T decompose(in<T, int64_t> high, in<T, Ints> size, in<T, std::optional<DType>> dtype,
                     in<T, std::optional<Device>> device, in<T, tn_object*> generator) {
    return randint(0, high, size, dtype, device, generator);
  }
};

struct Randperm : factory {
  static constexpr auto schema =
      "randperm(int n, *, ScalarType? dtype=None, Device? device=None, Generator? generator=None) "
      "-> Tensor";
  static constexpr auto doc =
      "The numbers 0 to n - 1 in random order, every order equally likely; i64 unless dtype says "
      "otherwise, which must be able to hold n - 1 exactly.";
  static constexpr uint32_t flags = TN_OP_NOT_DIFFERENTIABLE | TN_OP_RNG;
  static void infer(int64_t n, std::optional<DType> dtype, std::optional<Device>, tn_object*,
                    MetaOut out) {
    const DType d = dtype.value_or(TN_I64);
    if (n < 0)
      fail(TN_INVALID_ARGUMENT, "n is %lld; it must be 0 or more", static_cast<long long>(n));
    if (exact_limit(d) < 0)
      fail(TN_TYPE_ERROR, "a permutation in dtype %s; integers and floats can hold one",
           api->dtype_name(d));
    if (n > exact_limit(d))
      fail(TN_INVALID_ARGUMENT,
           "n is %lld, but dtype %s holds only permutations of at most %lld numbers",
           static_cast<long long>(n), api->dtype_name(d), static_cast<long long>(exact_limit(d)));
    out.set({n}, d);
  }
};

using create_random_ops = list<Rand, Randn, RandLike, RandnLike, Randint, RandintLow, Randperm>;

}  // namespace tn::ops
