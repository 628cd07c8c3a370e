#include "declare.h"

#include <tenon/ops/slice_scatter.h>

namespace ops {

template <>
void declare_list<tn::ops::slice_scatter_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::slice_scatter_ops{});
}

}  // namespace ops
