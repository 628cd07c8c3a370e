// Operators whose derivatives are missing, partial, wrong or of several results.
#include <tenon/sdk/declare.h>
#include <tenon/sdk/entry.h>

namespace {

using tn::Tensor;
using tn::ops::direct;
using tn::ops::grad;
using tn::ops::gradient;
using tn::ops::reads;

Tensor copy_of(const Tensor& source) {
  tn_meta meta{};
  meta.device = source.device();
  meta.dtype = static_cast<uint16_t>(source.dtype());
  meta.ndim = static_cast<int32_t>(source.dim());
  for (int32_t d = 0; d < meta.ndim; ++d) meta.sizes[d] = source.sizes()[static_cast<size_t>(d)];
  tn_tensor* made = nullptr;
  tn::check(tn::api->tensor_empty(&meta, &made));
  Tensor copy = Tensor::own(made);
  tn::check(tn::api->tensor_copy(made, source.get()));
  return copy;
}

struct Opaque : direct {
  static constexpr auto schema = "test_opaque(Tensor self) -> Tensor";
  static constexpr auto doc = "A copy; the derivative is missing.";
  static Tensor kernel(const Tensor& self) { return copy_of(self); }
};

struct Constant : direct {
  static constexpr auto schema = "test_constant(Tensor self) -> Tensor";
  static constexpr auto doc = "A copy that carries no gradient.";
  static constexpr uint32_t flags = direct::flags | TN_OP_NOT_DIFFERENTIABLE;
  static Tensor kernel(const Tensor& self) { return copy_of(self); }
};

struct Partial : direct {
  static constexpr auto schema = "test_partial(Tensor self, Tensor weight) -> Tensor";
  static constexpr auto doc = "A copy of self; weight has no derivative.";
  static Tensor kernel(const Tensor& self, const Tensor&) { return copy_of(self); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, [](auto g) { return g; }));
};

struct WrongShape : direct {
  static constexpr auto schema = "test_wrong_shape(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc =
      "A copy of self whose derivative answers with a tensor shaped as other.";
  static Tensor kernel(const Tensor& self, const Tensor&) { return copy_of(self); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<tn::ops::arg<1>>, [](auto, auto other) { return other; }));
};

struct Fails : direct {
  static constexpr auto schema = "test_fails(Tensor self) -> Tensor";
  static constexpr auto doc = "Always an error.";
  static Tensor kernel(const Tensor&) { tn::fail(TN_RUNTIME_ERROR, "as asked"); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, [](auto g) { return g; }));
};

// Gradients of the two results, as they arrived: the sum of what is there.
struct Pair : direct {
  static constexpr auto schema = "test_pair(Tensor self) -> (Tensor, Tensor)";
  static constexpr auto doc = "Two copies.";
  static constexpr uint64_t differentiable_rets = 3;
  static std::tuple<Tensor, Tensor> kernel(const Tensor& self) {
    return {copy_of(self), copy_of(self)};
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<grad<1>>, [](auto g, auto second) {
        if (!g.defined() || !second.defined()) return g.defined() ? g : second;
        static const tn::Operator add("add", "Tensor");
        return add.call<Tensor>(g, second);
      }));
};

}  // namespace

extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn::plugin_entry(host, [&] {
    tn::ops::declare(plugin, tn::ops::list<Opaque, Constant, Partial, WrongShape, Fails, Pair>{});
  });
}
