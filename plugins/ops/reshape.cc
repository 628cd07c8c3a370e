#include "declare.h"

#include <tenon/ops/reshape.h>

namespace ops {

template <>
void declare_list<tn::ops::reshape_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::reshape_ops{});
}

}  // namespace ops
