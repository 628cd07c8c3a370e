#include "declare.h"

#include <tenon/ops/random.h>

namespace ops {

template <>
void declare_list<tn::ops::random_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::random_ops{});
}

}  // namespace ops
