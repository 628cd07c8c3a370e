#include "declare.h"

#include <tenon/ops/join.h>

namespace ops {

template <>
void declare_list<tn::ops::join_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::join_ops{});
}

}  // namespace ops
