#include <tenon/ops/reduce.h>

#include "kernels.h"
#include "reduce.h"

namespace tn::cpu {

void register_sums(tn_plugin* plugin) {
  register_folds(plugin, ops::sum_ops());
}

}  // namespace tn::cpu
