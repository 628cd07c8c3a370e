#include "declare.h"

#include <tenon/ops/create.h>

namespace ops {

template <>
void declare_list<tn::ops::create_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::create_ops{});
}

}  // namespace ops
