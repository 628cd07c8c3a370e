#include "declare.h"

#include <tenon/ops/unary.h>

namespace ops {

template <>
void declare_list<tn::ops::sign_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::sign_ops{});
}
template <>
void declare_list<tn::ops::exponential_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::exponential_ops{});
}
template <>
void declare_list<tn::ops::trigonometric_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::trigonometric_ops{});
}
template <>
void declare_list<tn::ops::special_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::special_ops{});
}
template <>
void declare_list<tn::ops::inspection_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::inspection_ops{});
}

}  // namespace ops
