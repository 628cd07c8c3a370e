#include <tenon/ops/compare.h>

#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {

void register_compare(tn_plugin* plugin) {
  register_pointwise(plugin, ops::compare_ops());
}

}  // namespace tn::cpu
