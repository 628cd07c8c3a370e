// Loads plugins when something they provide is needed, each at most once in a process.
//
// A caller must hold no lock that a plugin's entry could want: entries run inside, and may call any
// function of the ABI. An error means that what is needed was promised and cannot be had; "nobody
// promises it" is success.
#pragma once

#include <tenon/status.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/plugin.h"
#include "core/problem.h"

namespace tenon {

// Runs tn_init when it has not run; afterwards one atomic load.
tn_status ensure_init();

// The plugins whose manifests declare the operator `name`, such as "add" or "acme.swiglu", without
// overload. Error when all of those fail.
tn_status load_for_operator(std::string_view name);

// The plugin with this [[device]]: of several, the first by priority that can be loaded.
tn_status load_for_device(std::string_view device);

// The plugin with the [[device]] that is the host, likewise.
tn_status load_for_host();

// The plugin with this [[layer]].
tn_status load_for_layer(std::string_view layer);

// All plugins whose [[provides]] match. `op` is the full name, "add.Tensor". A provider that cannot
// be loaded is passed over, since others may serve, unless plugins.required lists it.
tn_status load_for_kernel(std::string_view op, std::string_view device);

// The plugins that provide kernels for a device: first those of providers.DEVICE, in its order,
// then the others by priority, then by discovery.
std::vector<std::string> provider_order(std::string_view device);

// True when nothing says which of two providers of a device comes first: one priority, and the
// config lists neither.
bool provider_tie(std::string_view a, std::string_view b, std::string_view device);

// Why providers that promise a kernel cannot serve: "plugin onednn is quarantined: ...", one line
// each. For messages about kernels that are missing.
std::string provider_failures(std::string_view op, std::string_view device);

// Loads one plugin. Lock::kCatalog is held.
Problem load_plugin(Plugin* plugin);

// Makes sure, without running any of its code, that the plugin's library could be loaded.
// Lock::kCatalog is held.
Problem check_plugin(const Plugin& plugin);

}  // namespace tenon
