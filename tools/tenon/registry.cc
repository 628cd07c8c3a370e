#include "registry.h"

#include <algorithm>
#include <string_view>

#include <tenon/sdk/error.h>

#include "plugin_list.h"

namespace command {

std::vector<const tn_op*> all_operators() {
  for (const tn_plugin_info& info : all_plugins()) {
    if (info.state == TN_PLUGIN_DISCOVERED && *info.declares != '\0') {
      tn::api->status_release(tn::api->plugin_load(info.name));
    }
  }
  std::vector<const tn_op*> found(tn::api->op_count());
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = tn::api->op_at(i);
  std::sort(found.begin(), found.end(), [](const tn_op* a, const tn_op* b) {
    return std::string_view(tn::api->op_schema(a)->full_name) < tn::api->op_schema(b)->full_name;
  });
  return found;
}

std::vector<const tn_op*> operators_named(const std::string& name) {
  std::vector<const tn_op*> found(64);
  std::size_t count = tn::api->op_overloads(name.c_str(), found.data(), found.size());
  if (count > found.size()) {
    found.resize(count);
    count = tn::api->op_overloads(name.c_str(), found.data(), found.size());
  }
  found.resize(std::min(count, found.size()));
  if (!found.empty()) return found;

  const std::size_t dot = name.find('.');
  const std::string overload = dot != std::string::npos ? name.substr(dot + 1) : "";
  const tn_op* op = nullptr;
  tn::check(tn::api->resolve_op(name.substr(0, dot).c_str(),
                                dot != std::string::npos ? overload.c_str() : nullptr, 0, &op));
  return {op};
}

}  // namespace command
