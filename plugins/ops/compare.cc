#include "declare.h"

#include <tenon/ops/compare.h>

namespace ops {

template <>
void declare_list<tn::ops::compare_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::compare_ops{});
}

}  // namespace ops
