#include <tenon/ops/binary.h>

#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {

void register_integer(tn_plugin* plugin) {
  register_pointwise(plugin, ops::integer_ops());
}

}  // namespace tn::cpu
