#include "declare.h"

#include <tenon/ops/complex.h>

namespace ops {

template <>
void declare_list<tn::ops::complex_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::complex_ops{});
}

}  // namespace ops
