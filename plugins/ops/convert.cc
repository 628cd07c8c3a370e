#include "declare.h"

#include <tenon/ops/convert.h>

namespace ops {

template <>
void declare_list<tn::ops::convert_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::convert_ops{});
}

}  // namespace ops
