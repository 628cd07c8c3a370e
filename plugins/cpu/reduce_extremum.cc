#include <tenon/ops/reduce.h>

#include "kernels.h"
#include "reduce.h"

namespace tn::cpu {

void register_extremum_reductions(tn_plugin* plugin) {
  register_folds(plugin, ops::extremum_reductions());
  register_folds(plugin, ops::truth_ops());
}

}  // namespace tn::cpu
