#include "declare.h"

#include <tenon/ops/embedding.h>

namespace ops {

template <>
void declare_list<tn::ops::embedding_ops>(tn_plugin* plugin) {
  tn::ops::declare(plugin, tn::ops::embedding_ops{});
}

}  // namespace ops
