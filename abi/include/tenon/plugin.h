/* plugin.h - what a plugin is to the core, and what programs can ask about plugins.
 *
 * A plugin is a manifest `NAME.plugin.toml` beside a shared library that exports one symbol, tn_plugin_entry, and links
 * no core library: everything it calls comes from the host table. The core reads manifests first and loads a library
 * only when something it provides is needed. Loading is a transaction: what the entry registered applies when it
 * returns success; else nothing of it remains and the reason is kept.
 */
#ifndef TENON_PLUGIN_H
#define TENON_PLUGIN_H

#include <tenon/status.h>
#include <tenon/value.h>

/* One registration of one plugin: the core fills the first part, the entry the second. */
struct tn_plugin {
  uint32_t size;
  uint32_t flags;
  const char *name;      /* from the manifest */
  const char *directory; /* absolute, where the manifest lies */
  void *registration;    /* the core's */
  /* the entry may set: */
  void *state;
  void (*unload)(tn_plugin *plugin); /* before the library is unmapped; never at process exit */
};

/* `host` is never null. Runs once per registration, with the registry's lock not held. */
typedef tn_status (*tn_plugin_entry_fn)(const tn_host *host, tn_plugin *plugin);

typedef enum tn_plugin_state {
  TN_PLUGIN_DISCOVERED = 0, /* manifest read, library not needed so far */
  TN_PLUGIN_LOADED = 1,
  TN_PLUGIN_SKIPPED = 2,     /* switched off by the config, or not for this machine */
  TN_PLUGIN_QUARANTINED = 3, /* broken; the reason says how */
  TN_PLUGIN_UNLOADED = 4
} tn_plugin_state;

typedef struct tn_plugin_info {
  uint32_t size;
  uint32_t flags;
  const char *name;
  const char *version;
  const char *vendor;
  const char *manifest; /* path */
  const char *library;  /* path; "" when none fits this machine */
  const char *reason;   /* why it is in this state; "" when there is nothing to say */
  int32_t state;        /* tn_plugin_state */
  int32_t priority;
  const char *devices; /* names, separated by ", " */
  const char *layers;
  const char *interfaces; /* "tenon.autograd/1, ..." */
  const char *declares;   /* patterns of operators that it declares: "*", "acme.*" */
  const char *provides;   /* devices that it has kernels for */
} tn_plugin_info;

TN_EXTERN_C_BEGIN

/* Plugins found by discovery, in its order. Strings live as long as the process. */
TN_API size_t tn_plugin_count(void);
TN_API tn_status tn_plugin_get_info(size_t index, tn_plugin_info *out);
/* "discovered", "loaded", ...; "?" for a number that is no state. */
TN_API const char *tn_plugin_state_name(tn_plugin_state state);
/* Loads one by name now; success when it is loaded already. The error is the reason for which it was quarantined. */
TN_API tn_status tn_plugin_load(const char *name);
/* Error TN_BUSY names what still holds it. */
TN_API tn_status tn_plugin_unload(const char *name);

/* A named table of functions, such as "tenon.autograd" version 1; loads the plugin whose manifest promises it. Lives as
 * long as the process. Error: none promises it, or its plugin could not be loaded and why. */
TN_API tn_status tn_get_interface(const char *name, uint32_t version, const void **out);
TN_API tn_status tn_register_interface(tn_plugin *plugin, const char *name, uint32_t version, const void *table);
/* From a plugin's entry: claims the layer that its manifest declares. The bit is stable for the process. */
TN_API tn_status tn_register_layer(tn_plugin *plugin, const char *name, uint64_t *bit);

/* A value of the plugin's own section in tenon.toml, or its default from the manifest. Borrowed; error when the
 * manifest declares no such key. */
TN_API tn_status tn_plugin_config(const tn_plugin *plugin, const char *key, tn_value *out);

/* What a plugin does around a fork(), so that the child can go on using it; each may be null. `before` waits until
 * nothing of the plugin is half done and keeps it so, mostly by locking its mutexes; `in_parent` and `in_child` let go.
 * They run in the thread that forks, while no plugin is being loaded, and may not call what loads one or looks
 * something up; nor may whoever holds what `before` waits for. */
typedef struct tn_fork_handlers {
  void (*before)(void);
  void (*in_parent)(void);
  void (*in_child)(void);
} tn_fork_handlers;

/* From a plugin's entry: registers them for the life of the process. pthread_atfork would not do, since a fork can
 * have begun before the plugin is loaded. The same three a second time, from an entry that runs again, count once. */
TN_API tn_status tn_register_fork_handlers(tn_plugin *plugin, const tn_fork_handlers *handlers);

TN_EXTERN_C_END

#endif
