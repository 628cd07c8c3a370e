#include <tenon/ops/ternary.h>

#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {

void register_ternary(tn_plugin* plugin) {
  register_pointwise(plugin, ops::ternary_ops());
}

}  // namespace tn::cpu
