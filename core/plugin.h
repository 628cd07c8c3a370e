// One plugin that discovery found, from its manifest to its registrations.
#pragma once

#include <tenon/plugin.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/manifest.h"
#include "core/problem.h"

namespace tenon {

struct Plugin {
  struct Table {
    std::string name;
    uint32_t version = 0;
    const void* table = nullptr;
  };

  Manifest manifest;
  tn_plugin_state state = TN_PLUGIN_DISCOVERED;
  bool loading = false;          // its entry, or that of a plugin it requires, runs now
  bool manifest_broken = false;  // of the manifest, only name and path can be believed
  bool required = false;         // listed in plugins.required
  std::string library;           // absolute path; "" when none fits the machine
  Problem problem;               // why it is skipped or quarantined
  tn_plugin handle{};            // what the entry gets
  std::vector<Table> tables;     // its interfaces; valid while the state is TN_PLUGIN_LOADED
  bool tables_taken = false;     // somebody has got one of them

  const std::string& name() const { return manifest.name; }
  bool usable() const { return state == TN_PLUGIN_DISCOVERED || state == TN_PLUGIN_LOADED; }

  // Takes the plugin out of use, for good.
  void skip(Problem why);
  void quarantine(Problem why);

  // "plugin acme is quarantined: ..."; of a plugin out of use.
  Problem why_not() const;
};

}  // namespace tenon
