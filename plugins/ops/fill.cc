#include "declare.h"

#include <tenon/ops/fill.h>

namespace ops {

template <>
void declare_list<tn::ops::fill_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::fill_ops{});
}

}  // namespace ops
