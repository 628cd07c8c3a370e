#include <tenon/ops/activation.h>

#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {

void register_activation(tn_plugin* plugin) {
  register_pointwise(plugin, ops::activation_ops());
}

}  // namespace tn::cpu
