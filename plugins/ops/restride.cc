#include "declare.h"

#include <tenon/ops/restride.h>

namespace ops {

template <>
void declare_list<tn::ops::restride_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::restride_ops{});
}

}  // namespace ops
