// A plugin's shared library: checked before it is mapped, then loaded and asked for its entry.
#pragma once

#include <tenon/plugin.h>

#include <string>

#include "core/problem.h"

namespace tenon {

// Checks that `path` is a whole ELF library for this kind of machine. The dynamic loader believes
// what the file says: a truncated file would kill the process with SIGBUS.
Problem library_check(const std::string& path);

// Maps the library at the absolute `path` and finds tn_plugin_entry. It stays mapped for the life
// of the process once the entry is found: the entry may start threads and hand out addresses that
// nobody can count.
Problem library_load(const std::string& path, tn_plugin_entry_fn* entry);

// Checks that the dynamic loader finds `name` ("libcuda.so.1") in the system or in `directory`.
Problem library_find(const std::string& name, const std::string& directory);

// The path of a second copy of this core in the process; "" when there is none.
std::string library_other_core();

}  // namespace tenon
