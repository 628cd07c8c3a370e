#include "declare.h"

#include <tenon/ops/dropout.h>

namespace ops {

template <>
void declare_list<tn::ops::dropout_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::dropout_ops{});
}

}  // namespace ops
