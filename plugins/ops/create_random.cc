#include "declare.h"

#include <tenon/ops/create_random.h>

namespace ops {

template <>
void declare_list<tn::ops::create_random_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::create_random_ops{});
}

}  // namespace ops
