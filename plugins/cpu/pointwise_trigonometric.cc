#include <tenon/ops/unary.h>

#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {

void register_trigonometric(tn_plugin* plugin) {
  register_pointwise(plugin, ops::trigonometric_ops());
}

}  // namespace tn::cpu
