// Finds plugins: reads manifests, runs no code of theirs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/plugin.h"

namespace tenon {

using Plugins = std::vector<std::unique_ptr<Plugin>>;

// Folders that are searched, in order: those of plugins.path, then tenon/plugins beside libtenon.
std::vector<std::string> discovery_folders();

// Every manifest in the folders, sorted by file name within each. Broken ones are listed too,
// quarantined. Of several plugins with one name the first counts and the others are skipped. A
// problem passes, and leaves `out` as it was.
Problem discover(Plugins* out);

// Chooses the library for this machine: the first in the manifest whose CPU features are there.
// Skips the plugin when none fits.
void discovery_choose_library(Plugin* plugin);

}  // namespace tenon
