#include <tenon/ops/binary.h>

#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {

void register_extremum(tn_plugin* plugin) {
  register_pointwise(plugin, ops::extremum_ops());
}

}  // namespace tn::cpu
