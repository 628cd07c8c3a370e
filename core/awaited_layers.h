// Layers whose plugin is not loaded. No tensor has their bits, but a thread's state may include
// them: a call that comes to such a layer loads the plugin, or is an error that says why it cannot.
#pragma once

#include <cstdint>

#include "core/registry.h"

namespace tenon {

// From now on exactly these layers are awaited. For the start, before anybody calls.
void awaited_layers_start(uint64_t bits);

// Their plugin is loaded; or it was unloaded, for good.
void awaited_layers_arrived(uint64_t bits);
void awaited_layers_left(uint64_t bits);

// What runs for an awaited layer.
const LayerKernel* awaited_layer_kernel(int bit);

}  // namespace tenon
