#include <tenon/ops/unary.h>

#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {

void register_special(tn_plugin* plugin) {
  register_pointwise(plugin, ops::special_ops());
}

}  // namespace tn::cpu
