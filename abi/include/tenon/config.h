/* config.h - starting the runtime, and its configuration.
 *
 * Layers of configuration, later wins: the system's file, the user's, the project's (nearest tenon.toml upwards), or
 * instead of these three the file that $TENON_CONFIG names; then TENON_* variables, then tn_config_set. Unknown keys
 * are errors. tn_init reads it all; it runs once, and any function that needs it calls it with defaults.
 */
#ifndef TENON_CONFIG_H
#define TENON_CONFIG_H

#include <tenon/status.h>

TN_EXTERN_C_BEGIN

/* Reads the configuration and discovers plugins; runs no plugin code. Later calls return the first one's outcome.
 * `abi_major` and `abi_minor` are the caller's TN_ABI_MAJOR and TN_ABI_MINOR. */
TN_API tn_status tn_init(uint32_t abi_major, uint32_t abi_minor);

/* Sets `key` ("providers.cpu", "plugins.disable") to a TOML value (`["onednn", "cpu"]`, `true`), as the topmost layer.
 * Before tn_init it takes part in discovery; afterwards keys that discovery has used are refused. */
TN_API tn_status tn_config_set(const char *key, const char *value);

/* The value in force as TOML text and where it came from ("default", "/home/me/tenon.toml:3", "TENON_THREADS"). The
 * strings live as long as the process. */
TN_API tn_status tn_config_get(const char *key, const char **value, const char **origin);

/* Every key with a value, in order. */
TN_API size_t tn_config_count(void);
TN_API tn_status tn_config_at(size_t index, const char **key, const char **value, const char **origin);

/* What a key takes. */
typedef struct tn_config_key {
  uint32_t size;
  uint32_t flags;            /* TN_CONFIG_* */
  const char *name;          /* "threads"; "providers.*" for any last part; "plugin.onednn.cached_primitives" */
  const char *type;          /* "bool", "int", "float", "string", "strings" */
  const char *default_value; /* as TOML */
  const char *choices;       /* of a string, separated by ", "; "" when any will do */
  const char *variable;      /* the environment variable that sets it */
  const char *help;
} tn_config_key;

#define TN_CONFIG_FIXED_AT_INIT 1u /* tn_config_set refuses it once tn_init has run */

/* Every key that is known: the core's, then those of the plugins found. Strings live as long as the process. */
TN_API size_t tn_config_key_count(void);
TN_API tn_status tn_config_key_at(size_t index, tn_config_key *out);

/* The core's release, such as "0.1.0". */
TN_API const char *tn_version(void);

/* The table that plugins get, for programs that reach the core through tn::api or dlsym. */
TN_API const tn_host *tn_get_host(void);

TN_EXTERN_C_END

#endif
