#include "declare.h"

#include <tenon/ops/loss.h>

namespace ops {

template <>
void declare_list<tn::ops::loss_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::loss_ops{});
}

}  // namespace ops
