#include "declare.h"

#include <tenon/ops/softmax.h>

namespace ops {

template <>
void declare_list<tn::ops::softmax_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::softmax_ops{});
}

}  // namespace ops
