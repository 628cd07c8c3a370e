// The plugin's entry: declares every standard operator and says which of them the core may use.
#include <tenon/ops/all.h>
#include <tenon/sdk/entry.h>

#include "declare.h"

extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn::plugin_entry(host, [plugin] {
    tn::ops::each_chapter(
        [plugin](auto chapter) { ops::declare_list<decltype(chapter.rows)>(plugin); });
    tn::check(tn::api->register_role(plugin, "copy", "copy_"));
    tn::check(tn::api->register_role(plugin, "fill", "fill_.Scalar"));
  });
}
