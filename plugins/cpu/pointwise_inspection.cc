#include <tenon/ops/unary.h>

#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {

void register_inspection(tn_plugin* plugin) {
  register_pointwise(plugin, ops::inspection_ops());
}

}  // namespace tn::cpu
