// The bits of layers. They are allotted once, from the manifests of all plugins in use, and never
// change.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/plugin.h"

namespace tenon {

// Allots the bits, so that a layer that runs before another has the higher one, with gaps between
// them. Bit 63 is kept for the layer "transforms". Plugins whose layers contradict each other, or
// repeat another's name, are quarantined.
void layers_allot(const std::vector<Plugin*>& plugins);

// The layer's bit, or 0; the bits of all of a plugin's; and a bit's name, or "".
uint64_t layers_bit(std::string_view name);
uint64_t layers_bits(const Plugin& plugin);
const char* layers_name(uint64_t bit);

}  // namespace tenon
