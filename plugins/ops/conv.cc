#include "declare.h"

#include <tenon/ops/conv.h>

namespace ops {

template <>
void declare_list<tn::ops::conv_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::conv_ops{});
}

}  // namespace ops
