#include "check.h"

/* Runs first: what comes before tn_init takes part in discovery. */
void test_config(void) {
  OK(tn_config_set("plugins.path", "[\"" ABI_PLUGIN_DIR "\"]"));
  OK(tn_config_set("log", "\"silent\""));
  FAILS(tn_init(TN_ABI_MAJOR + 1, 0), TN_INCOMPATIBLE, "ABI");
  OK(tn_init(TN_ABI_MAJOR, TN_ABI_MINOR));
  OK(tn_init(TN_ABI_MAJOR, TN_ABI_MINOR));

  const char *key = NULL, *value = NULL, *origin = NULL;
  OK(tn_config_get("log", &value, &origin));
  CHECK(!strcmp(value, "\"silent\""));
  CHECK(!strcmp(origin, "tn_config_set"));
  OK(tn_config_get("fallback", &value, &origin));
  CHECK(!strcmp(origin, "default"));
  FAILS(tn_config_get("fallbak", &value, &origin), TN_NOT_FOUND, "fallback");
  FAILS(tn_config_set("fallback", "3"), TN_INVALID_ARGUMENT, "fallback");
  FAILS(tn_config_set("plugins.path", "[]"), TN_BUSY, "plugins.path");
  CHECK(tn_config_count() > 5);
  for (size_t i = 0; i < tn_config_count(); ++i) {
    OK(tn_config_at(i, &key, &value, &origin));
    CHECK(*key && *value && *origin);
  }
  FAILS(tn_config_at(tn_config_count(), &key, &value, &origin), TN_INDEX_ERROR, "");
  CHECK(!strcmp(tn_version(), TENON_VERSION));

  int of_core = 0, of_plugin = 0;
  tn_config_key described = TN_INIT(tn_config_key);
  for (size_t i = 0; i < tn_config_key_count(); ++i) {
    OK(tn_config_key_at(i, &described));
    CHECK(described.size == sizeof described);
    CHECK(*described.type && *described.default_value && *described.help);
    CHECK(!strncmp(described.variable, "TENON_", 6));
    if (!strcmp(described.name, "fallback")) {
      of_core = 1;
      CHECK(!strcmp(described.type, "string") && !strcmp(described.default_value, "\"error\""));
      CHECK(!strcmp(described.choices, "error, warn, host"));
      CHECK(!strcmp(described.variable, "TENON_FALLBACK") && described.flags == 0);
    }
    if (!strcmp(described.name, "plugin.abi_good.level")) {
      of_plugin = 1;
      CHECK(!strcmp(described.type, "int") && !strcmp(described.default_value, "3"));
      CHECK(!strcmp(described.variable, "TENON_PLUGIN_ABI_GOOD_LEVEL"));
    }
    if (!strcmp(described.name, "threads")) CHECK(described.flags == TN_CONFIG_FIXED_AT_INIT);
  }
  CHECK(of_core && of_plugin);
  FAILS(tn_config_key_at(tn_config_key_count(), &described), TN_INDEX_ERROR, "");
  FAILS(tn_config_key_at(0, NULL), TN_INVALID_ARGUMENT, "TN_INIT");
  /* A caller that was built when the struct was shorter. */
  described.size = offsetof(tn_config_key, type);
  described.type = "untouched";
  OK(tn_config_key_at(0, &described));
  CHECK(!strcmp(described.type, "untouched") && *described.name);

  const tn_host* host = tn_get_host();
  CHECK(host->size == sizeof(tn_host));
  CHECK(host->abi_major == TN_ABI_MAJOR && host->abi_minor == TN_ABI_MINOR);
  CHECK(host->layout_fingerprint == TN_LAYOUT_FINGERPRINT);
  CHECK(host->call == tn_call && host->explain == tn_explain);
  /* No member was forgotten: everything behind the fingerprint is a function. */
  const void* const* entries = (const void* const*)(&host->layout_fingerprint + 1);
  const size_t count =
      (sizeof *host - offsetof(tn_host, layout_fingerprint) - sizeof(uint64_t)) / sizeof(void*);
  for (size_t i = 0; i < count; ++i) CHECK(entries[i] != NULL);
}

void test_dtype(void) {
  CHECK(tn_dtype_size(TN_C128) == 16 && tn_dtype_size(TN_BF16) == 2 && tn_dtype_size(TN_BOOL) == 1);
  CHECK(tn_dtype_size((tn_dtype)40) == 0);
  CHECK(!strcmp(tn_dtype_name(TN_F8E4M3), "f8e4m3") && !strcmp(tn_dtype_name((tn_dtype)40), "?"));
  CHECK(tn_dtype_size((tn_dtype)-1) == 0 && !strcmp(tn_dtype_name((tn_dtype)99), "?"));
  CHECK(tn_dtype_promote((tn_dtype)99, TN_F32) == TN_DTYPE_NONE &&
        !tn_dtype_can_cast(TN_F32, (tn_dtype)-1));
  CHECK(tn_dtype_promote(TN_F16, TN_BF16) == TN_F32);
  CHECK(tn_dtype_promote(TN_U8, TN_I8) == TN_I16);
  CHECK(tn_dtype_promote(TN_U16, TN_I32) == TN_DTYPE_NONE);
  CHECK(tn_dtype_can_cast(TN_F64, TN_F16) && !tn_dtype_can_cast(TN_F16, TN_I64));
}
