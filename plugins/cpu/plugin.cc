// The plugin's entry: the device "cpu" and its kernels, group by group.
#include <tenon/sdk/entry.h>

#include "device.h"
#include "kernels.h"
#include "parallel.h"

namespace {

constexpr void (*groups[])(tn_plugin*) = {
    tn::cpu::register_device,
    // element-wise
    tn::cpu::register_activation,
    tn::cpu::register_arithmetic,
    tn::cpu::register_compare,
    tn::cpu::register_division,
    tn::cpu::register_exponential,
    tn::cpu::register_extremum,
    tn::cpu::register_inspection,
    tn::cpu::register_integer,
    tn::cpu::register_power,
    tn::cpu::register_sign,
    tn::cpu::register_special,
    tn::cpu::register_ternary,
    tn::cpu::register_trigonometric,
    // given outputs
    tn::cpu::register_create,
    tn::cpu::register_index,
    tn::cpu::register_join,
    tn::cpu::register_random_integers,
    tn::cpu::register_rearrange,
    // in place
    tn::cpu::register_copy,
    tn::cpu::register_fill,
    tn::cpu::register_random,
    // reductions
    tn::cpu::register_sums,
    tn::cpu::register_extremum_reductions,
    tn::cpu::register_arg_reductions,
    tn::cpu::register_moments,
    // networks
    tn::cpu::register_matmul,
    tn::cpu::register_conv,
    tn::cpu::register_attention,
    tn::cpu::register_attention_backward,
    tn::cpu::register_max_pool,
    tn::cpu::register_avg_pool,
    tn::cpu::register_batch_norm,
    tn::cpu::register_layer_norm,
    tn::cpu::register_softmax,
    tn::cpu::register_loss,
    tn::cpu::register_embedding,
    tn::cpu::register_optim,
};

}  // namespace

extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn::plugin_entry(host, [plugin] {
    tn::cpu::prepare_teams(plugin);
    for (const auto register_group : groups) register_group(plugin);
  });
}
