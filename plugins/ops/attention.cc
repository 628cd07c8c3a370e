#include "declare.h"

#include <tenon/ops/attention.h>

namespace ops {

template <>
void declare_list<tn::ops::attention_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::attention_ops{});
}

}  // namespace ops
