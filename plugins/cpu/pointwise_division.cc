#include <tenon/ops/binary.h>

#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {

void register_division(tn_plugin* plugin) {
  register_pointwise(plugin, ops::division_ops());
}

}  // namespace tn::cpu
