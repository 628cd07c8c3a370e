// pointwise.h - from an operator's struct (tenon/ops/pointwise.h) to its table of inner loops.
#pragma once

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tenon/ops/types.h>
#include <tenon/sdk/declare.h>

#include "pointwise_kernel.h"
#include "vector.h"

namespace tn::cpu {

// To be specialised for an operator that has special cases.
template <class Op>
inline constexpr PointwiseKernel::Shortcut shortcut_of = nullptr;

namespace detail {

using ops::detail::signature_of;

template <class Op>
constexpr int condition_of() {
  if constexpr (requires { Op::condition; })
    return Op::condition;
  else
    return -1;
}
template <class Op>
constexpr bool uses_vectors() {
  if constexpr (requires { Op::vectors; })
    return Op::vectors;
  else
    return true;
}
template <class Op>
constexpr bool has_streams() {
  if constexpr (requires { Op::streams; })
    return Op::streams;
  else
    return false;
}
template <class Op>
constexpr bool has_divides() {
  if constexpr (requires { Op::divides; })
    return Op::divides;
  else
    return false;
}

template <class Op, int mode, class... V>
[[gnu::always_inline]] inline auto value_of(V... v) {
  if constexpr (requires { Op::modes; })
    return Op::template value<mode>(v...);
  else
    return Op::value(v...);
}

// The value's type for numbers of type T: T, bool for questions, the real type for abs of complex.
template <class Op, int mode, class T, size_t... I, size_t... P>
auto result_of(std::index_sequence<I...>, std::index_sequence<P...>) {
  return value_of<Op, mode>(
      std::conditional_t<static_cast<int>(I) == condition_of<Op>(), bool, T>()...,
      (static_cast<void>(P), T())...);
}
template <class Op>
using Inputs = std::make_index_sequence<signature_of<Op>.ntensors>;
template <class Op>
using Params = std::make_index_sequence<signature_of<Op>.nparams>;
template <class Op, int mode, class T>
using Result = decltype(result_of<Op, mode, T>(Inputs<Op>(), Params<Op>()));

// One number at a time: the compiler makes vectors of it where it can.
template <class Op, int mode, class T, size_t... I, size_t... P>
void run_numbers(const Run& r, std::index_sequence<I...>, std::index_sequence<P...>) {
  using Out = Result<Op, mode, T>;
  Out* const out = static_cast<Out*>(r.out);
  const std::tuple in(
      static_cast<const std::conditional_t<static_cast<int>(I) == condition_of<Op>(), bool, T>*>(
          r.in[I])...);
  const T params[] = {static_cast<const T*>(r.params)[P]..., T()};
  const int64_t n = r.n;
  // An input may be the output itself, but never a shifted part of it.
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = value_of<Op, mode>(std::get<I>(in)[i]..., params[P]...);
}

// One input of a run as vectors, or as masks.
template <class T, bool is_mask>
struct Source {
  const std::conditional_t<is_mask, bool, T>* data;
  auto at(int64_t i) const {
    if constexpr (is_mask)
      return load_mask<T>(data + i);
    else
      return load<Vec<T>>(data + i);
  }
  auto at(int64_t i, size_t n) const {
    if constexpr (is_mask)
      return load_mask_n<T>(data + i, n);
    else
      return load_n<Vec<T>>(data + i, n);
  }
};

template <class Op, int mode, class T, size_t... I, size_t... P>
void run_vectors(const Run& r, std::index_sequence<I...>, std::index_sequence<P...>) {
  using Out = Result<Op, mode, T>;
  constexpr int64_t lanes = Vec<T>::lanes;
  Out* const out = static_cast<Out*>(r.out);
  const std::tuple<Source<T, static_cast<int>(I) == condition_of<Op>()>...> in{
      {static_cast<decltype(Source<T, static_cast<int>(I) == condition_of<Op>()>::data)>(
          r.in[I])}...};
  [[maybe_unused]] const Vec<T> params[] = {Vec<T>(static_cast<const T*>(r.params)[P])...,
                                            Vec<T>(T())};
  const int64_t n = r.n;
  int64_t i = 0;
  if constexpr (has_streams<Op>()) {
    if (r.streams) {
      for (; i + lanes <= n; i += lanes)
        hn::Stream(value_of<Op, mode>(std::get<I>(in).at(i)..., params[P]...).raw, Tag<T>(),
                   out + i);
      _mm_sfence();
    }
  }
  for (; i + lanes <= n; i += lanes)
    store(value_of<Op, mode>(std::get<I>(in).at(i)..., params[P]...), out + i);
  if (i < n) {
    const size_t rest = static_cast<size_t>(n - i) % static_cast<size_t>(lanes);
    store_n(value_of<Op, mode>(std::get<I>(in).at(i, rest)..., params[P]...), out + i, rest);
  }
}

template <class Op, int mode, class T>
void run(const Run& r) {
  if constexpr (std::is_floating_point_v<T> && uses_vectors<Op>())
    run_vectors<Op, mode, T>(r, Inputs<Op>(), Params<Op>());
  else
    run_numbers<Op, mode, T>(r, Inputs<Op>(), Params<Op>());
}

template <class Op, int mode, int dtype>
constexpr void add_run(RunTable& table) {
  if constexpr ((Op::dtypes & TN_DTYPE_BIT(dtype)) != 0) {
    using T = Element<arithmetic_dtype(static_cast<DType>(dtype))>;
    table.run[dtype] = run<Op, mode, T>;
    table.out_dtype[dtype] = dtype_of<Result<Op, mode, T>>();
  }
}
template <class Op, int mode, int... dtype>
constexpr RunTable make_table(std::integer_sequence<int, dtype...>) {
  RunTable table{};
  (add_run<Op, mode, dtype>(table), ...);
  return table;
}
template <class Op, int... mode>
constexpr auto make_tables(std::integer_sequence<int, mode...>) {
  return std::array<RunTable, sizeof...(mode)>{
      make_table<Op, mode>(std::make_integer_sequence<int, kDtypes>())...};
}
template <class Op>
constexpr int mode_count() {
  if constexpr (requires { Op::modes; })
    return static_cast<int>(Op::modes.size());
  else
    return 1;
}
template <class Op>
inline constexpr auto tables = make_tables<Op>(std::make_integer_sequence<int, mode_count<Op>()>());

// The dtypes of PointwiseKernel::plain.
constexpr uint64_t plain_dtypes(const PointwiseKernel& k) {
  uint64_t plain = 0;
  if (k.signature.mode < 0 && k.condition < 0 && !k.divides && !k.shortcut)
    for (int d = 0; d < kDtypes; ++d)
      if (k.tables[0].run[d] && k.tables[0].out_dtype[d] == d &&
          arithmetic_dtype(static_cast<DType>(d)) == d)
        plain |= TN_DTYPE_BIT(d);
  return plain;
}

template <class Op>
constexpr PointwiseKernel make_kernel() {
  static_assert(signature_of<Op>.ntensors <= kMaxInputs && signature_of<Op>.nparams <= kMaxParams);
  PointwiseKernel k{};
  k.signature = signature_of<Op>;
  k.condition = condition_of<Op>();
  k.divides = has_divides<Op>();
  k.streams = has_streams<Op>();
  k.shortcut = shortcut_of<Op>;
  if constexpr (requires { &Op::absent; }) k.absent = Op::absent;
  if constexpr (requires { Op::modes; }) {
    k.nmodes = mode_count<Op>();
    k.modes = Op::modes.data();
  }
  k.tables = tables<Op>.data();
  k.plain = plain_dtypes(k);
  return k;
}

}  // namespace detail

template <class Op>
inline constexpr PointwiseKernel kernel_of = detail::make_kernel<Op>();

template <class... Op>
void register_pointwise(tn_plugin* plugin, ops::list<Op...>) {
  (register_pointwise(plugin, Op::schema, Op::dtypes, &kernel_of<Op>), ...);
}

}  // namespace tn::cpu
