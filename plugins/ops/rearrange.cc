#include "declare.h"

#include <tenon/ops/rearrange.h>

namespace ops {

template <>
void declare_list<tn::ops::rearrange_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::rearrange_ops{});
}

}  // namespace ops
