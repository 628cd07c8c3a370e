/* host.h - the table of everything a plugin may call.
 *
 * Member `x` is the function tn_x, which its own header declares and documents; __typeof__ keeps the signature in that
 * one place. A plugin links no core library, so it calls host->tensor_empty(...) where a program calls
 * tn_tensor_empty(...). The order is part of the ABI: new functions go to the end.
 */
#ifndef TENON_HOST_H
#define TENON_HOST_H

#include <tenon/config.h>
#include <tenon/device.h>
#include <tenon/explain.h>
#include <tenon/operator.h>
#include <tenon/plugin.h>
#include <tenon/random.h>
#include <tenon/storage.h>
#include <tenon/thread.h>

struct tn_host {
  uint32_t size;
  uint32_t flags;
  uint32_t abi_major;
  uint32_t abi_minor;
  /* Of the layouts that carry no size (tn_value, tn_tensor, tn_frame, tn_plan): TN_LAYOUT_FINGERPRINT of the core's
   * build. A plugin's entry compares it with its own. */
  uint64_t layout_fingerprint;

  /* base.h */
  __typeof__(tn_dtype_size) *dtype_size;
  __typeof__(tn_dtype_name) *dtype_name;
  __typeof__(tn_dtype_promote) *dtype_promote;
  __typeof__(tn_dtype_can_cast) *dtype_can_cast;
  /* status.h */
  __typeof__(tn_status_make) *status_make;
  __typeof__(tn_status_declined) *status_declined;
  __typeof__(tn_status_out_of_memory) *status_out_of_memory;
  __typeof__(tn_status_annotate) *status_annotate;
  __typeof__(tn_status_attach) *status_attach;
  __typeof__(tn_status_set_flags) *status_set_flags;
  __typeof__(tn_status_code) *status_code;
  __typeof__(tn_status_flags) *status_flags;
  __typeof__(tn_status_message) *status_message;
  __typeof__(tn_status_domain) *status_domain;
  __typeof__(tn_status_native_code) *status_native_code;
  __typeof__(tn_status_file) *status_file;
  __typeof__(tn_status_line) *status_line;
  __typeof__(tn_code_name) *code_name;
  __typeof__(tn_status_release) *status_release;
  /* value.h */
  __typeof__(tn_value_alloc) *value_alloc;
  __typeof__(tn_value_drop) *value_drop;
  __typeof__(tn_value_copy) *value_copy;
  __typeof__(tn_object_init) *object_init;
  __typeof__(tn_object_retain) *object_retain;
  __typeof__(tn_object_release) *object_release;
  /* schema.h */
  __typeof__(tn_schema_parse) *schema_parse;
  __typeof__(tn_schema_free) *schema_free;
  /* tensor.h */
  __typeof__(tn_tensor_retain) *tensor_retain;
  __typeof__(tn_tensor_release) *tensor_release;
  __typeof__(tn_tensor_use_count) *tensor_use_count;
  __typeof__(tn_tensor_weak_retain) *tensor_weak_retain;
  __typeof__(tn_tensor_weak_release) *tensor_weak_release;
  __typeof__(tn_tensor_lock) *tensor_lock;
  __typeof__(tn_tensor_empty) *tensor_empty;
  __typeof__(tn_tensor_from_memory) *tensor_from_memory;
  __typeof__(tn_tensor_view) *tensor_view;
  __typeof__(tn_tensor_shallow) *tensor_shallow;
  __typeof__(tn_tensor_storage_offset) *tensor_storage_offset;
  __typeof__(tn_tensor_version) *tensor_version;
  __typeof__(tn_tensor_root) *tensor_root;
  __typeof__(tn_tensor_alias_flags) *tensor_alias_flags;
  __typeof__(tn_tensor_describe) *tensor_describe;
  __typeof__(tn_tensor_item) *tensor_item;
  __typeof__(tn_tensor_read) *tensor_read;
  __typeof__(tn_tensor_write) *tensor_write;
  __typeof__(tn_tensor_resize) *tensor_resize;
  __typeof__(tn_tensor_restride) *tensor_restride;
  __typeof__(tn_tensor_set_data) *tensor_set_data;
  __typeof__(tn_tensor_bump_version) *tensor_bump_version;
  __typeof__(tn_tensor_set_layers) *tensor_set_layers;
  __typeof__(tn_tensor_set_flags) *tensor_set_flags;
  __typeof__(tn_tensor_set_root) *tensor_set_root;
  __typeof__(tn_tensor_contiguous) *tensor_contiguous;
  __typeof__(tn_tensor_cast) *tensor_cast;
  __typeof__(tn_tensor_to) *tensor_to;
  __typeof__(tn_tensor_copy) *tensor_copy;
  __typeof__(tn_slot_register) *slot_register;
  __typeof__(tn_tensor_slot) *tensor_slot;
  __typeof__(tn_tensor_set_slot) *tensor_set_slot;
  __typeof__(tn_tensor_to_dlpack) *tensor_to_dlpack;
  __typeof__(tn_tensor_from_dlpack) *tensor_from_dlpack;
  /* storage.h */
  __typeof__(tn_storage_retain) *storage_retain;
  __typeof__(tn_storage_release) *storage_release;
  __typeof__(tn_storage_data) *storage_data;
  __typeof__(tn_storage_nbytes) *storage_nbytes;
  __typeof__(tn_storage_device) *storage_device;
  __typeof__(tn_storage_use_count) *storage_use_count;
  __typeof__(tn_memory_get_stats) *memory_get_stats;
  __typeof__(tn_memory_trim) *memory_trim;
  __typeof__(tn_tensor_live_count) *tensor_live_count;
  __typeof__(tn_memory_fail) *memory_fail;
  /* operator.h */
  __typeof__(tn_resolve_op) *resolve_op;
  __typeof__(tn_op_form) *op_form;
  __typeof__(tn_op_own_form) *op_own_form;
  __typeof__(tn_op_schema) *op_schema;
  __typeof__(tn_op_facts) *op_facts;
  __typeof__(tn_op_count) *op_count;
  __typeof__(tn_op_at) *op_at;
  __typeof__(tn_op_overloads) *op_overloads;
  __typeof__(tn_call) *call;
  __typeof__(tn_next) *next;
  __typeof__(tn_redispatch) *redispatch;
  __typeof__(tn_scratch) *scratch;
  __typeof__(tn_register_op) *register_op;
  __typeof__(tn_register_kernel) *register_kernel;
  __typeof__(tn_register_fallback) *register_fallback;
  __typeof__(tn_register_attribute) *register_attribute;
  __typeof__(tn_op_attribute) *op_attribute;
  __typeof__(tn_register_role) *register_role;
  /* thread.h */
  __typeof__(tn_thread_state_get) *thread_state_get;
  __typeof__(tn_thread_state_set) *thread_state_set;
  __typeof__(tn_layer_bit) *layer_bit;
  __typeof__(tn_layer_name) *layer_name;
  __typeof__(tn_num_threads) *num_threads;
  __typeof__(tn_set_num_threads) *set_num_threads;
  /* device.h */
  __typeof__(tn_device_find) *device_find;
  __typeof__(tn_device_parse) *device_parse;
  __typeof__(tn_device_name) *device_name;
  __typeof__(tn_device_count) *device_count;
  __typeof__(tn_device_get_properties) *device_get_properties;
  __typeof__(tn_device_synchronize) *device_synchronize;
  __typeof__(tn_device_flags) *device_flags;
  __typeof__(tn_device_host) *device_host;
  __typeof__(tn_register_device) *register_device;
  /* plugin.h */
  __typeof__(tn_plugin_count) *plugin_count;
  __typeof__(tn_plugin_get_info) *plugin_get_info;
  __typeof__(tn_plugin_load) *plugin_load;
  __typeof__(tn_plugin_unload) *plugin_unload;
  __typeof__(tn_get_interface) *get_interface;
  __typeof__(tn_register_interface) *register_interface;
  __typeof__(tn_register_layer) *register_layer;
  __typeof__(tn_plugin_config) *plugin_config;
  /* random.h */
  __typeof__(tn_generator_create) *generator_create;
  __typeof__(tn_generator_seed) *generator_seed;
  __typeof__(tn_generator_get_state) *generator_get_state;
  __typeof__(tn_generator_set_state) *generator_set_state;
  __typeof__(tn_generator_reserve) *generator_reserve;
  __typeof__(tn_manual_seed) *manual_seed;
  /* config.h */
  __typeof__(tn_init) *init;
  __typeof__(tn_config_set) *config_set;
  __typeof__(tn_config_get) *config_get;
  __typeof__(tn_config_count) *config_count;
  __typeof__(tn_config_at) *config_at;
  __typeof__(tn_version) *version;
  __typeof__(tn_get_host) *get_host;
  /* explain.h */
  __typeof__(tn_doctor) *doctor;
  __typeof__(tn_explain) *explain;
  /* later additions, in the order in which they came */
  __typeof__(tn_memory_allocate) *memory_allocate;
  __typeof__(tn_memory_free) *memory_free;
  __typeof__(tn_call_with) *call_with;
  __typeof__(tn_plugin_state_name) *plugin_state_name;
  __typeof__(tn_op_providers) *op_providers;
  __typeof__(tn_config_key_count) *config_key_count;
  __typeof__(tn_config_key_at) *config_key_at;
  __typeof__(tn_register_fork_handlers) *register_fork_handlers;
};

/* A number that changes when a member that plugins read directly moves. */
#define TN_LAYOUT_FINGERPRINT                                                                \
  ((uint64_t)sizeof(tn_value) | (uint64_t)offsetof(tn_tensor, storage) << 8 |                \
   (uint64_t)offsetof(tn_frame, flags) << 16 | (uint64_t)offsetof(tn_plan, operands) << 24 | \
   (uint64_t)sizeof(tn_plan_operand) << 32 | (uint64_t)offsetof(tn_tensor, layers) << 40 |   \
   (uint64_t)sizeof(void *) << 48)

#endif
