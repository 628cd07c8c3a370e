// Gradients beside the operator: which value each formula reads, and the formula on tensors.
//
//   static constexpr auto gradients = std::make_tuple(
//       gradient<0>(reads<arg<1>>, [](auto g, auto other) { return g * other; }),
//       gradient<1>(reads<arg<0>>, [](auto g, auto self) { return g * self; }));
//
// gradient<I...> names the arguments whose gradients the formula computes. A formula of several
// returns a tuple and may read `needed` to skip work. What `reads` lists is handed over after g, in
// order:
//
//   arg<I>, ret<I>      tensor argument or result I, saved by the call (undefined when absent)
//   tensors<I>          the tensors of list argument I, saved
//   grad<I>             the gradient of result I, undefined where nothing arrived; g is grad<0>
//   sizes<I>, dtype_of<I>, device_of<I>    of tensor argument I, not saved
//   metas<I>            of the tensors of list argument I, not saved
//   number<I>, integer<I>, real<I>, flag<I>, ints<I>, text<I>, optional_integer<I>,
//   optional_ints<I>, raw<I>    other arguments: Scalar, int64_t, double, bool, Ints,
//                       const char*, optional ones, tn_value
//   needed              uint64_t, a bit per argument whose gradient is asked for
//
// A gradient of broadcast shape is summed to its argument's by autograd, and cast to its dtype; a
// complex one gives a real argument its real part. An undefined result means zero. Formulas are
// templates on the tensor type with unqualified calls, so that declaring one needs no operator.
#pragma once

#include <array>
#include <tuple>

#include <tenon/sdk/kernel.h>

namespace tn::ops {

template <int I>
struct arg {};
template <int I>
struct ret {};
template <int I>
struct tensors {};
template <int I>
struct grad {};
template <int I>
struct sizes {};
template <int I>
struct dtype_of {};
template <int I>
struct device_of {};
template <int I>
struct metas {};
template <int I>
struct number {};
template <int I>
struct integer {};
template <int I>
struct real {};
template <int I>
struct flag {};
template <int I>
struct ints {};
template <int I>
struct text {};
template <int I>
struct optional_integer {};
template <int I>
struct optional_ints {};
template <int I>
struct raw {};
struct needed {};

template <class... R>
struct Reads {};
template <class... R>
inline constexpr Reads<R...> reads{};

// One formula: the arguments it is for, what it reads, and the function.
template <class Reads, class F, int... Wrt>
struct Gradient {
  F formula;
};
template <int... Wrt, class... R, class F>
constexpr auto gradient(Reads<R...>, F formula) {
  return Gradient<Reads<R...>, F, Wrt...>{formula};
}

// Whether calls made now are recorded: in a formula, whether its result will be differentiated.
inline bool is_recording() {
  tn_thread_state state;
  api->thread_state_get(&state);
  return !(state.flags & TN_THREAD_NO_GRAD);
}

namespace detail {

template <class R>
struct SavedArgs {
  static constexpr uint64_t mask = 0;
};
template <int I>
struct SavedArgs<arg<I>> {
  static constexpr uint64_t mask = uint64_t{1} << I;
};
template <int I>
struct SavedArgs<tensors<I>> {
  static constexpr uint64_t mask = uint64_t{1} << I;
};
template <class R>
struct SavedRets {
  static constexpr uint64_t mask = 0;
};
template <int I>
struct SavedRets<ret<I>> {
  static constexpr uint64_t mask = uint64_t{1} << I;
};

inline Tensor shared(const tn_value& v) {
  return v.tag == TN_TAG_TENSOR ? Tensor::share(v.u.tensor) : Tensor();
}
inline const tn_meta& meta_of(const tn_backward& c, int i) {
  return *c.arg_metas[i];
}

template <int I>
Tensor read(const tn_backward& c, arg<I>) {
  return shared(c.args[I]);
}
template <int I>
Tensor read(const tn_backward& c, ret<I>) {
  return shared(c.rets[I]);
}
template <int I>
Tensors read(const tn_backward& c, tensors<I>) {
  return tn::detail::Param<Tensors>::get(c.args[I]);
}
template <int I>
Tensor read(const tn_backward& c, grad<I>) {
  return Tensor::share(c.grads[I]);
}
template <int I>
Ints read(const tn_backward& c, sizes<I>) {
  return {meta_of(c, I).sizes, static_cast<size_t>(meta_of(c, I).ndim)};
}
template <int I>
DType read(const tn_backward& c, dtype_of<I>) {
  return static_cast<DType>(meta_of(c, I).dtype);
}
template <int I>
Device read(const tn_backward& c, device_of<I>) {
  return meta_of(c, I).device;
}
template <int I>
List<tn_meta> read(const tn_backward& c, metas<I>) {
  return {c.arg_metas[I], c.args[I].len};
}
template <int I>
Scalar read(const tn_backward& c, number<I>) {
  return Scalar(c.args[I]);
}
template <int I>
int64_t read(const tn_backward& c, integer<I>) {
  return c.args[I].u.i;
}
template <int I>
double read(const tn_backward& c, real<I>) {
  return c.args[I].u.f;
}
template <int I>
bool read(const tn_backward& c, flag<I>) {
  return c.args[I].u.i != 0;
}
template <int I>
Ints read(const tn_backward& c, ints<I>) {
  return {c.args[I].u.ints, c.args[I].len};
}
template <int I>
const char* read(const tn_backward& c, text<I>) {
  return c.args[I].u.str;
}
template <int I>
std::optional<int64_t> read(const tn_backward& c, optional_integer<I>) {
  return tn::detail::Param<std::optional<int64_t>>::get(c.args[I]);
}
template <int I>
std::optional<Ints> read(const tn_backward& c, optional_ints<I>) {
  return tn::detail::Param<std::optional<Ints>>::get(c.args[I]);
}
template <int I>
const tn_value& read(const tn_backward& c, raw<I>) {
  return c.args[I];
}
inline uint64_t read(const tn_backward& c, needed) {
  return c.needed;
}

// The ABI's formula for a Gradient: calls the function with what it reads and stores what it
// returns.
template <const auto& Source, class T>
struct Formula;
template <const auto& Source, class... R, class F, int... Wrt>
struct Formula<Source, Gradient<Reads<R...>, F, Wrt...>> {
  template <size_t Index>
  static tn_status run(const tn_backward* call, const tn_formula*, tn_value* grads) noexcept {
    return guard([&] {
      const auto& formula = std::get<Index>(Source).formula;
      Tensor g = Tensor::share(call->nrets ? call->grads[0] : nullptr);
      if constexpr (sizeof...(Wrt) == 1) {
        (tn::detail::give(&grads[Wrt], formula(std::move(g), read(*call, R{})...)), ...);
      } else {
        auto results = formula(std::move(g), read(*call, R{})...);
        store(grads, std::move(results),
              std::index_sequence_for<std::integral_constant<int, Wrt>...>{});
      }
    });
  }
  template <class Results, size_t... I>
  static void store(tn_value* grads, Results&& results, std::index_sequence<I...>) {
    constexpr int wrt[] = {Wrt...};
    (tn::detail::give(&grads[wrt[I]], std::move(std::get<I>(results))), ...);
  }
  template <size_t Index>
  static constexpr tn_formula make() {
    return {((uint64_t{1} << Wrt) | ...), (uint64_t{0} | ... | SavedArgs<R>::mask),
            (uint64_t{0} | ... | SavedRets<R>::mask), run<Index>};
  }
};

template <class Op, size_t... I>
constexpr auto make_formulas(std::index_sequence<I...>) {
  return std::array<tn_formula, sizeof...(I)>{
      Formula<Op::gradients, std::tuple_element_t<I, tn::detail::Bare<decltype(Op::gradients)>>>::
          template make<I>()...};
}
template <class Op>
inline constexpr auto formulas = make_formulas<Op>(
    std::make_index_sequence<std::tuple_size_v<tn::detail::Bare<decltype(Op::gradients)>>>{});

}  // namespace detail

// How the formulas take complex numbers, which an operator that computes with them says as
// `complex_gradient`. The others' gradients of complex tensors are refused.
//
//   holomorphic  written as for real numbers, g * f'(x): autograd conjugates g and what comes out,
//                which gives g * conj(f'(x))
//   as_written   right as they stand: linear with real factors, or with conjugates of their own
inline constexpr uint32_t holomorphic = TN_DERIVATIVE_HOLOMORPHIC;
inline constexpr uint32_t as_written = TN_DERIVATIVE_COMPLEX;

template <class Op, class = void>
inline constexpr bool computes_complex = false;
template <class Op>
inline constexpr bool computes_complex<Op, std::void_t<decltype(Op::dtypes)>> =
    (Op::dtypes & (TN_DTYPE_BIT(TN_C64) | TN_DTYPE_BIT(TN_C128))) != 0;
template <class Op, class = void>
inline constexpr uint32_t derivative_flags = 0;
template <class Op>
inline constexpr uint32_t derivative_flags<Op, std::void_t<decltype(Op::complex_gradient)>> =
    Op::complex_gradient;

// The attribute "tenon.derivative" of an operator with `gradients`. Which results carry gradients:
// the first alone unless the operator says `differentiable_rets`.
template <class Op, class = void>
inline constexpr uint64_t differentiable_rets = 1;
template <class Op>
inline constexpr uint64_t differentiable_rets<Op, std::void_t<decltype(Op::differentiable_rets)>> =
    Op::differentiable_rets;

template <class Op>
inline constexpr tn_derivative derivative = {sizeof(tn_derivative),
                                             derivative_flags<Op>,
                                             static_cast<uint32_t>(detail::formulas<Op>.size()),
                                             0,
                                             detail::formulas<Op>.data(),
                                             differentiable_rets<Op>};

}  // namespace tn::ops
