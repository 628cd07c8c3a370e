#include "declare.h"

#include <tenon/ops/optim.h>

namespace ops {

template <>
void declare_list<tn::ops::optim_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::optim_ops{});
}

}  // namespace ops
