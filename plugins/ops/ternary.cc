#include "declare.h"

#include <tenon/ops/ternary.h>

namespace ops {

template <>
void declare_list<tn::ops::ternary_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::ternary_ops{});
}
template <>
void declare_list<tn::ops::ternary_decompositions>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::ternary_decompositions{});
}

}  // namespace ops
