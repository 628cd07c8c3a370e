#include "declare.h"

#include <tenon/ops/index.h>

namespace ops {

template <>
void declare_list<tn::ops::index_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::index_ops{});
}

}  // namespace ops
