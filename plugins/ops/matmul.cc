#include "declare.h"

#include <tenon/ops/matmul.h>

namespace ops {

template <>
void declare_list<tn::ops::matmul_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::matmul_ops{});
}

}  // namespace ops
