#include "declare.h"

#include <tenon/ops/view.h>

namespace ops {

template <>
void declare_list<tn::ops::view_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::view_ops{});
}

}  // namespace ops
