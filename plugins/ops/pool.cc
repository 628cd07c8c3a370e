#include "declare.h"

#include <tenon/ops/pool.h>

namespace ops {

template <>
void declare_list<tn::ops::pool_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::pool_ops{});
}

}  // namespace ops
