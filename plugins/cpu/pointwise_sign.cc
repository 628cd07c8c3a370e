#include <tenon/ops/unary.h>

#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {

void register_sign(tn_plugin* plugin) {
  register_pointwise(plugin, ops::sign_ops());
}

}  // namespace tn::cpu
