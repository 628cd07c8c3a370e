#include "declare.h"

#include <tenon/ops/broadcast.h>

namespace ops {

template <>
void declare_list<tn::ops::broadcast_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::broadcast_ops{});
}

}  // namespace ops
