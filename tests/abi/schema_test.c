#include "check.h"

void test_schema(void) {
  tn_schema* s = NULL;
  OK(tn_schema_parse("scale.out(Tensor x, float by=2, *, bool keep=True) -> (Tensor y, Tensor)",
                     &s));
  CHECK(!strcmp(s->full_name, "scale.out"));
  CHECK(s->nargs == 3 && s->nrets == 2 && s->nrequired == 1 && s->npositional == 2);
  CHECK(s->args[1].default_value.tag == TN_TAG_FLOAT && s->args[1].default_value.u.f == 2);
  CHECK(s->args[2].flags & TN_PARAM_KEYWORD_ONLY);
  CHECK(!strcmp(s->rets[0].name, "y") && !strcmp(s->rets[1].name, ""));
  tn_schema_free(s);
  tn_schema_free(NULL);
  FAILS(tn_schema_parse("scale(Tensor x", &s), TN_INVALID_ARGUMENT, "character");
}
