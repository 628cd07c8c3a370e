// What rows say about themselves (rule 22 of the hard cases): the tags agree with the schemas.
#include "operators.h"

namespace {

// Calls f(schema, facts) for every row, in whatever plugin.
template <class F>
void each_row(F&& f) {
  tn::zeros({1});  // loads the plugin that declares them
  ASSERT_GT(tn::api->op_count(), 100u);
  for (size_t i = 0; i < tn::api->op_count(); ++i) {
    const tn_op* op = tn::api->op_at(i);
    f(*tn::api->op_schema(op), *tn::api->op_facts(op));
  }
}

uint32_t flags_of(const char* name) {
  return tn::api->op_facts(tn::Operator(name).get())->flags;
}

}  // namespace

TEST(Tags, Rule22RandomRowsTakeAGeneratorOrSaySo) {
  each_row([](const tn_schema& schema, const tn_op_desc& facts) {
    for (uint32_t i = 0; i < schema.nargs; ++i)
      if (schema.args[i].type == TN_TYPE_OBJECT) {
        EXPECT_TRUE(facts.flags & TN_OP_RNG) << schema.text;
      }
  });
  for (const char* name : {"rand", "randn", "randperm", "uniform_", "native_dropout"})
    EXPECT_TRUE(flags_of(name) & TN_OP_RNG) << name;
}

TEST(Tags, Rule22ViewsAreThoseWhoseResultsShareMemory) {
  each_row([](const tn_schema& schema, const tn_op_desc& facts) {
    bool shares = false, writes = false;
    for (uint32_t i = 0; i < schema.nargs; ++i) {
      shares |= schema.args[i].alias_sets != 0;
      writes |= schema.args[i].flags & TN_PARAM_WRITTEN;
    }
    if (writes || facts.flags & TN_OP_RETURNS_ARGUMENT || facts.kind == TN_KIND_COMPOSITE) return;
    EXPECT_EQ(bool(facts.flags & TN_OP_VIEW), shares) << schema.text;
  });
  EXPECT_TRUE(flags_of("permute") & TN_OP_VIEW);
}

TEST(Tags, Rule22WhatWritesOtherArgumentsHasASideEffect) {
  each_row([](const tn_schema& schema, const tn_op_desc& facts) {
    for (uint32_t i = 0; i < schema.nargs; ++i)
      if (schema.args[i].flags & TN_PARAM_WRITTEN && !(facts.flags & TN_OP_INPLACE_ONLY)) {
        EXPECT_TRUE(facts.flags & TN_OP_SIDE_EFFECT) << schema.text;
      }
  });
}

TEST(Tags, Rule22ReadingAValueSynchronizes) {
  for (const char* name : {"item", "equal"})
    EXPECT_TRUE(flags_of(name) & TN_OP_SYNCHRONIZES) << name;
  EXPECT_FALSE(flags_of("exp") & TN_OP_SYNCHRONIZES);
}

TEST(Tags, Rule22KindsSayWhatIsElementWiseAndWhatReduces) {
  auto kind = [](const char* name, const char* overload) {
    return tn::api->op_facts(tn::Operator(name, overload).get())->kind;
  };
  EXPECT_EQ(kind("add", "Tensor"), TN_KIND_POINTWISE);
  EXPECT_EQ(kind("exp", ""), TN_KIND_POINTWISE);
  EXPECT_EQ(kind("sum", ""), TN_KIND_REDUCTION);
}
