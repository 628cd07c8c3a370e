// Schemas parsed, and arguments brought into their form.
#include "fixture.h"

namespace tn::test {
namespace {

using Schema = Dispatch;

struct Parsed {
  tn_schema* s = nullptr;
  explicit Parsed(const char* text) { check(api->schema_parse(text, &s)); }
  ~Parsed() { api->schema_free(s); }
};

TEST_F(Schema, arguments_defaults_and_keywords) {
  Parsed p("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  EXPECT_STREQ(p.s->name, "add");
  EXPECT_STREQ(p.s->overload, "Tensor");
  EXPECT_EQ(p.s->nargs, 3u);
  EXPECT_EQ(p.s->nrequired, 2u);
  EXPECT_EQ(p.s->npositional, 2u);
  EXPECT_EQ(p.s->args[2].type, TN_TYPE_SCALAR);
  EXPECT_EQ(p.s->args[2].default_value.tag, TN_TAG_INT);
}

TEST_F(Schema, lists_optionals_and_aliases) {
  Parsed p(
      "f(Tensor(a!) self, int[2] stride=1, int[1]? dim=None, Tensor?[] indices=[], float "
      "eps=1e-05, "
      "str mode='none', ScalarType? dtype=None, MemoryFormat m=contiguous_format) -> (Tensor(a!), "
      "Tensor[] rest)");
  EXPECT_EQ(p.s->args[0].flags, TN_PARAM_WRITTEN);
  EXPECT_EQ(p.s->args[0].alias_sets, 1u);
  EXPECT_EQ(p.s->args[1].list_length, 2u);
  EXPECT_EQ(p.s->args[1].default_value.len, 2u);
  EXPECT_EQ(p.s->args[1].default_value.u.ints[1], 1);
  EXPECT_TRUE(p.s->args[2].flags & TN_PARAM_OPTIONAL);
  EXPECT_TRUE(p.s->args[3].flags & TN_PARAM_LIST_OPTIONAL);
  EXPECT_EQ(p.s->args[4].default_value.u.f, 1e-05);
  EXPECT_STREQ(p.s->args[5].default_value.u.str, "none");
  EXPECT_EQ(p.s->nrets, 2u);
  EXPECT_STREQ(p.s->rets[1].name, "rest");
}

TEST_F(Schema, a_view_of_everything) {
  Parsed p("split(Tensor(a -> *) self, int size) -> Tensor(a)[]");
  EXPECT_TRUE(p.s->args[0].flags & TN_PARAM_ALIAS_ALL);
  EXPECT_TRUE(p.s->rets[0].flags & TN_PARAM_LIST);
  EXPECT_EQ(p.s->rets[0].alias_sets, 1u);
}

TEST_F(Schema, the_hash_depends_on_what_callers_depend_on) {
  EXPECT_EQ(Parsed("f(int a) -> ()").s->hash, Parsed("f(int a=3) -> ()").s->hash);
  EXPECT_NE(Parsed("f(int a) -> ()").s->hash, Parsed("f(float a) -> ()").s->hash);
  EXPECT_NE(Parsed("f(int a) -> ()").s->hash, Parsed("f(int b) -> ()").s->hash);
}

TEST_F(Schema, malformed_texts_are_refused_with_the_place) {
  for (const char* text :
       {"", "f", "f(", "f()", "f() ->", "f(int) -> ()", "f(int a", "f(int a,) -> ()",
        "f(int a=) -> ()", "f(int a='x) -> ()", "f(Tensor(A!) x) -> ()", "f(int a, int a) -> ()",
        "f(int[ a) -> ()", "f(int a) -> () trailing", "f.(int a) -> ()",
        "f(int[99999999999] a) -> ()"}) {
    const std::string message = error_of([&] { Parsed p(text); }, TN_INVALID_ARGUMENT);
    EXPECT_NE(message.find("schema"), std::string::npos) << text;
  }
}

TEST_F(Schema, a_default_is_of_its_argument_s_type) {
  for (const char* text : {"f(int a='x') -> ()",      "f(int a=1.5) -> ()",
                           "f(int a=True) -> ()",     "f(int a=None) -> ()",
                           "f(int a=f32) -> ()",      "f(int a=9223372036854775808) -> ()",
                           "f(float a=1e999) -> ()",  "f(float a=-inf) -> ()",
                           "f(Scalar a='x') -> ()",   "f(Scalar a=-nan) -> ()",
                           "f(bool a=1) -> ()",       "f(str a=1) -> ()",
                           "f(Tensor a=1) -> ()",     "f(Device a='cpu') -> ()",
                           "f(Generator? g=1) -> ()", "f(Tensor[] a=[1]) -> ()",
                           "f(Tensor[] a=1) -> ()",   "f(int[] a=['x']) -> ()",
                           "f(int[] a=[1.5]) -> ()",  "f(int[]? a=[None]) -> ()",
                           "f(int[2] a='x') -> ()",   "f(float[] a=['x']) -> ()",
                           "f(bool[] a=[1]) -> ()",   "f(ScalarType? a=strided) -> ()"})
    error_of([&] { Parsed p(text); }, TN_INVALID_ARGUMENT);
  EXPECT_EQ(Parsed("f(int a=-9223372036854775808) -> ()").s->args[0].default_value.u.i, INT64_MIN);
  EXPECT_EQ(Parsed("f(float[2] a=3) -> ()").s->args[0].default_value.u.floats[1], 3.0);
  EXPECT_EQ(Parsed("f(Tensor?[] a=[]) -> ()").s->args[0].default_value.len, 0u);
}

TEST_F(Schema, lists_are_of_what_a_value_can_hold) {
  for (const char* text : {"f(str[] a) -> ()", "f(Scalar[] a) -> ()", "f(Generator[2] a) -> ()",
                           "f(ScalarType?[] a) -> ()", "f() -> str[]"})
    error_of([&] { Parsed p(text); }, TN_INVALID_ARGUMENT);
}

TEST_F(Schema, rule_23_the_hash_of_a_grown_schema_is_another_and_defaults_fill_what_it_gained) {
  const tn_op* row = op("fake.grown").get();
  const uint64_t now = api->op_schema(row)->hash;
  const uint64_t before = Parsed("fake::grown(Tensor self) -> Tensor").s->hash;
  EXPECT_NE(now, before);
  const tn_op* found = nullptr;
  check(api->resolve_op("fake.grown", "", now, &found));
  EXPECT_EQ(found, row);
  Tensor x = f32({1});
  const tn_value arg = to_value(x);
  tn_value ret{};
  check(api->call(row, &arg, 1, &ret, 1));
  EXPECT_EQ(Tensor::own(ret.u.tensor).item<float>(), 1);
}

TEST_F(Schema, one_int_stands_for_a_list_of_them) {
  Tensor y = op("fake.sum").call<Tensor>(f32({2, 3}), 1, false);
  EXPECT_EQ(y.sizes(), (Ints{2}));
}

TEST_F(Schema, too_many_too_few_and_wrong_arguments_name_themselves) {
  Tensor x = f32({2});
  EXPECT_NE(error_of([&] { op("fake.axpy").call<Tensor>(x); }, TN_TYPE_ERROR).find("missing: y"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { op("fake.axpy").call<Tensor>(x, x, 1, 2); }, TN_TYPE_ERROR).find("at most 3"),
      std::string::npos);
  const std::string text =
      error_of([&] { op("fake.axpy").call<Tensor>(x, x, "two"); }, TN_TYPE_ERROR);
  EXPECT_NE(text.find("argument 3 (a) is a string"), std::string::npos) << text;
  EXPECT_NE(text.find("expected Scalar"), std::string::npos) << text;
}

}  // namespace
}  // namespace tn::test
