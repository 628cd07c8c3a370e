// check.h - what an element-wise operator or a reduction has against its arguments, as a
// tn_check_fn.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/sdk/error.h>
#include <tenon/sdk/number_range.h>
#include <tenon/sdk/signature.h>

namespace tn::ops {
namespace detail {

template <class Op, class = void>
inline constexpr bool has_check = false;
template <class Op>
inline constexpr bool has_check<Op, std::void_t<decltype(&Op::check)>> = true;

template <class Op, class = void>
inline constexpr bool has_modes = false;
template <class Op>
inline constexpr bool has_modes<Op, std::void_t<decltype(Op::modes)>> = true;

template <class Op>
void require_mode(const tn_value& mode) {
  std::string allowed;
  for (const char* known : Op::modes) {
    if (std::string_view(mode.u.str, mode.len) == known) return;
    allowed += (allowed.empty() ? "'" : ", '") + std::string(known) + "'";
  }
  fail(TN_INVALID_ARGUMENT, "a mode of '%s'; it must be one of %s", mode.u.str, allowed.c_str());
}

// Parameters take part in the arithmetic as elements of the dtype that it is done in. Limits and
// replacements that are floats become the nearest integer, which there is always.
inline void require_parameter(DType compute, const tn_value& number) {
  const bool matters =
      number.tag == TN_TAG_INT ? is_integral(compute) : number.tag == TN_TAG_COMPLEX;
  if (matters) require_fits(compute, number);
}

template <class Op>
inline constexpr Signature signature_of = parse_signature(Op::schema);

template <class Op>
tn_status check_function(tn_frame*, void*, tn_dtype compute, const tn_value* args,
                         uint32_t) noexcept {
  return guard([&] {
    if constexpr (has_modes<Op>) require_mode<Op>(args[signature_of<Op>.mode]);
    if constexpr (has_check<Op>) Op::check(compute, args);
    if constexpr (Op::kind == TN_KIND_POINTWISE)
      for (int i = 0; i < signature_of<Op>.nparams; ++i)
        require_parameter(compute, args[signature_of<Op>.params[i]]);
  });
}

// Null where there is nothing to check.
template <class Op>
constexpr tn_check_fn check_of() {
  if constexpr (has_check<Op> || has_modes<Op>)
    return check_function<Op>;
  else if constexpr (Op::kind == TN_KIND_POINTWISE)
    return signature_of<Op>.nparams > 0 ? check_function<Op> : nullptr;
  else
    return nullptr;
}

}  // namespace detail
}  // namespace tn::ops
