// What an operator's declaration says, and how a plugin registers a list of them.
//
// An operator is one struct:
//
//   struct Mm : structured {
//     static constexpr auto schema = "mm(Tensor self, Tensor mat2) -> Tensor";
//     static constexpr auto doc = "Matrix product of two matrices.";
//     static void infer(const Tensor& self, const Tensor& mat2, MetaOut out) { ... }
//     static constexpr auto gradients = std::make_tuple(...);
//   };
//
// Its base says the kind and the facts that go with it; a struct overrides one by naming it again.
// Members by kind:
//   pointwise, reduction  `promotion`; optional `check`, void(DType compute, const tn_value* args),
//                         which throws when the arguments make no sense; kernels of the cpu plugin
//                         use `value` (see ops/pointwise.h, ops/reduce.h)
//   structured            `infer`
//   direct                `kernel`, when it works on any device (views, lists)
//   composite             `decompose`
// and for all: `schema`, `doc`, `flags` (TN_OP_*), `device_rule`; optional `gradients`
// (sdk/gradient.h), `decompose`. infer, kernel and decompose are typed functions (sdk/kernel.h),
// decompose a template on the tensor type.
#pragma once

#include <tenon/sdk/check.h>
#include <tenon/sdk/gradient.h>

namespace tn::ops {

struct pointwise {
  static constexpr tn_op_kind kind = TN_KIND_POINTWISE;
  static constexpr tn_device_rule device_rule = TN_DEVICE_SAME;
  static constexpr uint32_t flags = TN_OP_INPLACE;
};
struct reduction {
  static constexpr tn_op_kind kind = TN_KIND_REDUCTION;
  static constexpr tn_device_rule device_rule = TN_DEVICE_SAME;
  static constexpr uint32_t flags = 0;
};
struct structured {
  static constexpr tn_op_kind kind = TN_KIND_STRUCTURED;
  static constexpr tn_device_rule device_rule = TN_DEVICE_SAME;
  static constexpr tn_promotion promotion = TN_PROMOTE_COMMON;
  static constexpr uint32_t flags = 0;
};
struct direct {
  static constexpr tn_op_kind kind = TN_KIND_DIRECT;
  static constexpr tn_device_rule device_rule = TN_DEVICE_SAME;
  static constexpr tn_promotion promotion = TN_PROMOTE_COMMON;
  static constexpr uint32_t flags = TN_OP_NO_OUT;
};
// A view: metadata only, runs wherever its base lives.
struct view_of : direct {
  static constexpr tn_device_rule device_rule = TN_DEVICE_ANY;
  static constexpr uint32_t flags = TN_OP_VIEW | TN_OP_NO_OUT;
};
struct composite {
  static constexpr tn_op_kind kind = TN_KIND_COMPOSITE;
  static constexpr tn_device_rule device_rule = TN_DEVICE_ANY;
  static constexpr tn_promotion promotion = TN_PROMOTE_COMMON;
  static constexpr uint32_t flags = 0;
};

// A list of operators, walked by everyone who needs it.
template <class... Op>
struct list {};

namespace detail {

template <class Op, class = void>
inline constexpr tn_infer_fn infer_of = nullptr;
template <class Op>
inline constexpr tn_infer_fn infer_of<Op, std::void_t<decltype(&Op::infer)>> = infer_fn<&Op::infer>;

template <class Op, class = void>
inline constexpr tn_kernel_fn decomposition_of = nullptr;
template <class Op>
inline constexpr tn_kernel_fn
    decomposition_of<Op, std::void_t<decltype(&Op::template decompose<Tensor>)>> =
        kernel_fn<&Op::template decompose<Tensor>>;

template <class Op, class = void>
inline constexpr bool has_gradients = false;
template <class Op>
inline constexpr bool has_gradients<Op, std::void_t<decltype(Op::gradients)>> = true;

template <class Op, class = void>
inline constexpr bool has_kernel = false;
template <class Op>
inline constexpr bool has_kernel<Op, std::void_t<decltype(&Op::kernel)>> = true;

// "add.Tensor" out of the schema's text.
inline std::string full_name(const char* schema) {
  std::string_view text(schema);
  return std::string(text.substr(0, text.find('(')));
}

}  // namespace detail

// Declares one operator: the row itself, its any-device kernel and its derivative.
template <class Op>
void declare(tn_plugin* plugin) {
  tn_op_desc desc = TN_INIT(tn_op_desc);
  desc.flags = Op::flags;
  desc.schema = Op::schema;
  desc.doc = Op::doc;
  desc.kind = Op::kind;
  desc.promotion = Op::promotion;
  desc.device_rule = Op::device_rule;
  desc.infer = detail::infer_of<Op>;
  desc.decomposition = detail::decomposition_of<Op>;
  desc.check = detail::check_of<Op>();
  check(api->register_op(plugin, &desc));
  [[maybe_unused]] const std::string name = detail::full_name(Op::schema);
  if constexpr (detail::has_kernel<Op>) {
    tn_kernel_desc kernel = TN_INIT(tn_kernel_desc);
    kernel.op = name.c_str();
    kernel.device = TN_ANY_DEVICE;
    kernel.fn = kernel_fn<&Op::kernel>;
    kernel.caps.size = sizeof(tn_caps);
    check(api->register_kernel(plugin, &kernel));
  }
  if constexpr (detail::has_gradients<Op>) {
    static_assert(!computes_complex<Op> || derivative_flags<Op> != 0,
                  "an operator that computes with complex numbers says `complex_gradient`");
    check(api->register_attribute(plugin, name.c_str(), TN_DERIVATIVE_ATTRIBUTE, nullptr, 1,
                                  &derivative<Op>));
  }
}
template <class... Op>
void declare(tn_plugin* plugin, list<Op...>) {
  (declare<Op>(plugin), ...);
}

}  // namespace tn::ops
