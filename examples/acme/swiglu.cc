// An operator of this plugin's own. It is composed of others, so it works on every device and is
// differentiated through them.
#include <tenon/sdk/declare.h>
#include <tenon/sdk/operators.h>

#include "plugin.h"

namespace acme {
namespace {

struct SwiGlu : tn::ops::composite {
  static constexpr auto schema = "acme::swiglu(Tensor x, Tensor gate, float beta=1) -> Tensor";
  static constexpr auto doc = "x times the swish of gate, gate * sigmoid(beta * gate).";
  template <class T>
  static T decompose(const T& x, const T& gate, double beta) {
    return x * gate * sigmoid(beta * gate);
  }
};

}  // namespace

void declare_operators(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::list<SwiGlu>{});
}

}  // namespace acme
