#include <tenon/ops/unary.h>

#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {

void register_exponential(tn_plugin* plugin) {
  register_pointwise(plugin, ops::exponential_ops());
}

}  // namespace tn::cpu
