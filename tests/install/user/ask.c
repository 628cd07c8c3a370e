/* Asks the plugin, which is found and loaded for the purpose. */
#include <stdio.h>

#include <tenon/tenon.h>

#include "mine.h"

int main(void) {
  const void* table = NULL;
  tn_status s = tn_init(TN_ABI_MAJOR, TN_ABI_MINOR);
  if (!s) s = tn_get_interface("mine", 1, &table);
  if (!s) printf("%d\n", ((const struct mine_interface*)table)->answer);
  if (s) fprintf(stderr, "%s\n", tn_status_message(s));

  const int failed = s != NULL;
  tn_status_release(s);
  return failed;
}
