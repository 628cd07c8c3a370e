#include "check.h"

void test_status(void) {
  tn_status s = tn_status_make(TN_IO_ERROR, "errno", 28, "file.c", 12, "no space for %d bytes", 5);
  CHECK(tn_status_code(s) == TN_IO_ERROR);
  CHECK(!strcmp(tn_status_message(s), "no space for 5 bytes"));
  CHECK(!strcmp(tn_status_domain(s), "errno"));
  CHECK(tn_status_native_code(s) == 28);
  CHECK(!strcmp(tn_status_file(s), "file.c"));
  CHECK(tn_status_line(s) == 12);
  tn_status_set_flags(s, TN_ERROR_RETRYABLE);
  CHECK(tn_status_flags(s) == TN_ERROR_RETRYABLE);
  s = tn_status_annotate(s, "while saving %s", "weights");
  CHECK(!strncmp(tn_status_message(s), "while saving weights", 20));
  CHECK(strstr(tn_status_message(s), "no space for 5 bytes") != NULL);
  s = tn_status_attach(s, tn_status_make(TN_BUSY, NULL, 0, "", 0, "and the lock is held"));
  CHECK(tn_status_code(s) == TN_IO_ERROR);
  CHECK(strstr(tn_status_message(s), "and the lock is held") != NULL);
  tn_status_release(s);

  CHECK(tn_status_code(tn_status_attach(NULL, tn_status_declined())) == TN_DECLINED);
  CHECK(tn_status_attach(NULL, NULL) == NULL);
  CHECK(tn_status_code(NULL) == TN_OK);
  CHECK(!strcmp(tn_status_message(NULL), ""));
  tn_status_release(NULL);

  /* The permanent ones: released and annotated without effect. */
  tn_status memory = tn_status_out_of_memory();
  CHECK(tn_status_code(memory) == TN_OUT_OF_MEMORY);
  tn_status_release(memory);
  CHECK(tn_status_annotate(memory, "x") == memory);
  tn_status_release(tn_status_out_of_memory());
  CHECK(tn_status_code(tn_status_out_of_memory()) == TN_OUT_OF_MEMORY);

  /* An error that claims to be none is a defect, not a success. */
  s = tn_status_make(TN_OK, NULL, 0, NULL, 0, "?");
  CHECK(tn_status_code(s) == TN_INTERNAL);
  tn_status_release(s);

  char wide[2000];
  memset(wide, 'x', sizeof wide - 1);
  wide[sizeof wide - 1] = '\0';
  s = tn_status_make(TN_INTERNAL, NULL, 0, NULL, 0, "%s", wide);
  CHECK(strlen(tn_status_message(s)) == sizeof wide - 1);
  tn_status_release(s);
  for (int code = TN_OK; code <= TN_INTERNAL; ++code)
    CHECK(strcmp(tn_code_name((tn_code)code), "unknown code") != 0);
  CHECK(!strcmp(tn_code_name((tn_code)99), "unknown code"));
}
