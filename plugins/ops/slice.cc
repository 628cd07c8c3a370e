#include "declare.h"

#include <tenon/ops/slice.h>

namespace ops {

template <>
void declare_list<tn::ops::slice_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::slice_ops{});
}

}  // namespace ops
