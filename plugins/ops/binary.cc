#include "declare.h"

#include <tenon/ops/binary.h>

namespace ops {

template <>
void declare_list<tn::ops::arithmetic_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::arithmetic_ops{});
}
template <>
void declare_list<tn::ops::division_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::division_ops{});
}
template <>
void declare_list<tn::ops::division_modes>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::division_modes{});
}
template <>
void declare_list<tn::ops::power_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::power_ops{});
}
template <>
void declare_list<tn::ops::extremum_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::extremum_ops{});
}
template <>
void declare_list<tn::ops::integer_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::integer_ops{});
}

}  // namespace ops
