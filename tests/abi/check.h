/* The few words that the C tests are written in. */
#ifndef TENON_TESTS_ABI_CHECK_H
#define TENON_TESTS_ABI_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

extern int checks_failed;
extern int checks_made;

#define CHECK(condition)                                              \
  do {                                                                \
    ++checks_made;                                                    \
    if (!(condition)) {                                               \
      ++checks_failed;                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                 \
  } while (0)

/* The call succeeds; otherwise its message is printed and the test ends. */
#define OK(call)                                                                                   \
  do {                                                                                             \
    tn_status ok_status = (call);                                                                  \
    ++checks_made;                                                                                 \
    if (ok_status) {                                                                               \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, tn_status_message(ok_status)); \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

/* The call fails with this code, and the message has `word` in it. */
#define FAILS(call, expected, word)                                                       \
  do {                                                                                    \
    tn_status fails_status = (call);                                                      \
    CHECK(tn_status_code(fails_status) == (expected));                                    \
    if (!strstr(tn_status_message(fails_status), (word))) {                               \
      ++checks_failed;                                                                    \
      fprintf(stderr, "%s:%d: %s: no \"%s\" in: %s\n", __FILE__, __LINE__, #call, (word), \
              tn_status_message(fails_status));                                           \
    }                                                                                     \
    tn_status_release(fails_status);                                                      \
  } while (0)

tn_device cpu(void);
/* A row-major f32 tensor counting from `first`; sizes end at the first negative number. */
tn_tensor* counting(float first, int64_t size0, int64_t size1);
tn_value tensor_value(tn_tensor* tensor);
tn_value int_value(int64_t i);

void test_config(void);
void test_dtype(void);
void test_status(void);
void test_value(void);
void test_schema(void);
void test_tensor(void);
void test_storage(void);
void test_operator(void);
void test_thread(void);
void test_device(void);
void test_plugin(void);
void test_random(void);
void test_explain(void);

#endif
