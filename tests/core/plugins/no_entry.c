/* Has no tn_plugin_entry, but one that is almost called so. */
#include <tenon/base.h>

TN_API int32_t tn_plugin_entry_point(void);

int32_t tn_plugin_entry_point(void) {
  return 0;
}
