#include "check.h"

static void finding(void) {
  const tn_op *add = NULL, *other = NULL;
  OK(tn_resolve_op("add", "Tensor", 0, &add));
  OK(tn_resolve_op("add", NULL, tn_op_schema(add)->hash, &other));
  CHECK(other == add && tn_op_own_form(add) == TN_FUNCTIONAL);
  OK(tn_resolve_op("add_", "Tensor", 0, &other));
  CHECK(tn_op_own_form(other) == TN_INPLACE && tn_op_schema(other) == tn_op_schema(add));
  OK(tn_resolve_op("add", "Tensor_out", 0, &other));
  CHECK(tn_op_own_form(other) == TN_OUT);
  OK(tn_op_form(other, TN_FUNCTIONAL, &other));
  CHECK(other == add);
  CHECK(tn_op_facts(add)->kind == TN_KIND_POINTWISE && tn_op_facts(add)->flags & TN_OP_INPLACE);
  FAILS(tn_resolve_op("add", "Tensor", 1, &other), TN_INCOMPATIBLE, "schema");
  FAILS(tn_resolve_op("add", "Scalar", 0, &other), TN_NOT_FOUND, "add.Tensor");
  FAILS(tn_resolve_op("adds", NULL, 0, &other), TN_NOT_FOUND, "add");
  FAILS(tn_op_form(add, (tn_form)7, &other), TN_INVALID_ARGUMENT, "form");

  CHECK(tn_op_count() > 100 && tn_op_at(tn_op_count()) == NULL);
  int seen = 0;
  for (size_t i = 0; i < tn_op_count(); ++i) seen += tn_op_at(i) == add;
  CHECK(seen == 1);
  const tn_op* sums[8];
  CHECK(tn_op_overloads("sum", sums, 8) == 2);
  CHECK(tn_op_overloads("no_such_operator", sums, 8) == 0);
  CHECK(tn_op_attribute(add, TN_DERIVATIVE_ATTRIBUTE, cpu().type, 1) != NULL);
  CHECK(tn_op_attribute(add, "no.such", cpu().type, 1) == NULL);
}

static void calling(void) {
  const tn_op *add = NULL, *out_form = NULL, *inplace = NULL;
  OK(tn_resolve_op("add", "Tensor", 0, &add));
  OK(tn_op_form(add, TN_OUT, &out_form));
  OK(tn_op_form(add, TN_INPLACE, &inplace));
  tn_tensor *a = counting(0, 2, 2), *b = counting(10, 2, 2);
  tn_value args[3] = {tensor_value(a), tensor_value(b), int_value(2)}, sum = {0};
  OK(tn_call(add, args, 3, &sum, 1));
  CHECK(((float*)sum.u.tensor->dl.data)[3] == 3 + 2 * 13);
  tn_value out = tensor_value(sum.u.tensor);
  OK(tn_call(out_form, args, 2, &out, 1));
  CHECK(((float*)sum.u.tensor->dl.data)[3] == 16);
  OK(tn_call(inplace, args, 2, NULL, 0));
  CHECK(((float*)a->dl.data)[0] == 10);
  args[1] = int_value(5);
  OK(tn_call(inplace, args, 2, NULL, 0));
  CHECK(((float*)a->dl.data)[0] == 15);

  /* Under another thread state, for one call: what integers become. */
  const tn_op* exp = NULL;
  OK(tn_resolve_op("exp", "", 0, &exp));
  tn_meta meta = {.device = cpu(), .dtype = TN_I64};
  tn_tensor* zero = NULL;
  const int64_t nothing = 0;
  OK(tn_tensor_empty(&meta, &zero));
  OK(tn_tensor_write(zero, &nothing, sizeof nothing));
  tn_thread_state state;
  tn_thread_state_get(&state);
  state.default_dtype = TN_F64;
  tn_value integer = tensor_value(zero), result = {0};
  OK(tn_call_with(&state, exp, &integer, 1, &result, 1));
  CHECK(result.u.tensor->dtype == TN_F64 && *(double*)result.u.tensor->dl.data == 1);
  tn_value_drop(&result);
  OK(tn_call(exp, &integer, 1, &result, 1));
  CHECK(result.u.tensor->dtype == TN_F32);
  tn_value_drop(&result);
  tn_tensor_release(zero);

  tn_value none = {0};
  FAILS(tn_call(add, args, 1, &none, 1), TN_TYPE_ERROR, "missing: other");
  FAILS(tn_call(add, args, 2, NULL, 0), TN_TYPE_ERROR, "results");
  args[1] = none;
  FAILS(tn_call(add, args, 2, &none, 1), TN_TYPE_ERROR, "argument 2 (other)");
  CHECK(none.tag == TN_TAG_NONE);
  tn_value_drop(&sum);
  tn_tensor_release(a);
  tn_tensor_release(b);
}

void test_operator(void) {
  finding();
  calling();
}

void test_random(void) {
  tn_object* g = NULL;
  uint64_t seed = 0, offset = 0;
  tn_philox range;
  OK(tn_generator_create(cpu(), 3, &g));
  OK(tn_generator_reserve(g, cpu(), 4, &range));
  CHECK(range.seed == 3 && range.offset == 0 && range.device_state == NULL);
  OK(tn_generator_get_state(g, cpu(), &seed, &offset));
  CHECK(seed == 3 && offset == 4);
  OK(tn_generator_set_state(g, cpu(), 9, 100));
  OK(tn_generator_reserve(g, cpu(), 1, &range));
  CHECK(range.seed == 9 && range.offset == 100);
  OK(tn_generator_seed(g, cpu(), 5));
  OK(tn_generator_get_state(g, cpu(), &seed, &offset));
  CHECK(seed == 5 && offset == 0);
  tn_object_release(g);
  tn_manual_seed(11);
  OK(tn_generator_get_state(NULL, cpu(), &seed, &offset));
  CHECK(seed == 11 && offset == 0);
}

void test_explain(void) {
  const tn_op* add = NULL;
  OK(tn_resolve_op("add", "Tensor", 0, &add));
  tn_tensor* a = counting(0, 2, -1);
  tn_value args[2] = {tensor_value(a), tensor_value(a)}, text = {0};
  for (int json = 0; json < 2; ++json) {
    OK(tn_explain(add, args, 2, json, &text));
    CHECK(text.tag == TN_TAG_STRING && strstr(text.u.str, "cpu") && strlen(text.u.str) == text.len);
    tn_value_drop(&text);
    OK(tn_doctor(json, &text));
    CHECK(strstr(text.u.str, "abi_good") != NULL);
    tn_value_drop(&text);
  }
  tn_tensor_release(a);

  tn_device host;
  OK(tn_device_host(&host));
  OK(tn_op_providers(add, host.type, &text));
  CHECK(text.tag == TN_TAG_STRING && strstr(text.u.str, "cpu"));
  tn_value_drop(&text);
  FAILS(tn_op_providers(add, -5, &text), TN_INVALID_ARGUMENT, "-5");
}
