#include "declare.h"

#include <tenon/ops/reduce.h>

namespace ops {

template <>
void declare_list<tn::ops::sum_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::sum_ops{});
}
template <>
void declare_list<tn::ops::extremum_reductions>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::extremum_reductions{});
}
template <>
void declare_list<tn::ops::truth_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::truth_ops{});
}
template <>
void declare_list<tn::ops::arg_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::arg_ops{});
}
template <>
void declare_list<tn::ops::moment_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::moment_ops{});
}

}  // namespace ops
