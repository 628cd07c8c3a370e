#include <tenon/ops/binary.h>

#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {

void register_arithmetic(tn_plugin* plugin) {
  register_pointwise(plugin, ops::arithmetic_ops());
}

}  // namespace tn::cpu
