#include "declare.h"

#include <tenon/ops/norm.h>

namespace ops {

template <>
void declare_list<tn::ops::norm_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::norm_ops{});
}

}  // namespace ops
