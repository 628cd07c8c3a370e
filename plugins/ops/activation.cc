#include "declare.h"

#include <tenon/ops/activation.h>

namespace ops {

template <>
void declare_list<tn::ops::activation_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::activation_ops{});
}
template <>
void declare_list<tn::ops::activation_decompositions>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::activation_decompositions{});
}

}  // namespace ops
