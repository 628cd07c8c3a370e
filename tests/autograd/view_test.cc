// Views: gradients by geometry, and writes that other views of the same memory see.
#include "support.h"

namespace test {
const Values kSix = {1, 2, 3, 4, 5, 6};

TEST(View, gradients_of_every_kind_of_view) {
  const auto weighted = [](const Tensor& t) {
    Values weights;
    for (int64_t i = 0; i < t.numel(); ++i) weights.push_back(static_cast<double>(i * i + 1));
    return mul(mul(t, t), tensor(weights, t.sizes().vector()));
  };
  const std::vector<std::pair<const char*, std::function<Tensor(const Tensor&)>>> views = {
      {"view",
       [](const Tensor& x) {
         return reshape(x, {3, 2});
       }},
      {"transpose", [](const Tensor& x) { return transpose(x); }},
      {"view of transpose",
       [](const Tensor& x) {
         return reshape(transpose(x), {3, 1, 2});
       }},
      {"select", [](const Tensor& x) { return select(x, 1, 1); }},
      {"slice", [](const Tensor& x) { return slice(x, 1, 1, 3); }},
      {"slice with step", [](const Tensor& x) { return slice(x, 1, 0, 3, 2); }},
      {"slice of slice", [](const Tensor& x) { return slice(slice(x, 1, 1, 3), 0, 1, 2); }},
      {"empty slice", [](const Tensor& x) { return slice(x, 1, 2, 2); }},
      {"unsqueeze", [](const Tensor& x) { return call("unsqueeze", "", x, int64_t{1}); }},
      {"expand",
       [](const Tensor& x) {
         return expand(reshape(x, {2, 1, 3}), {2, 4, 3});
       }},
      {"expand with new dimension",
       [](const Tensor& x) {
         return expand(x, {2, 2, 3});
       }},
      {"slice of expand",
       [](const Tensor& x) {
         return slice(expand(reshape(x, {6, 1}), {6, 3}), 0, 1, 5);
       }},
      {"diagonal", [](const Tensor& x) { return call("diagonal", "", x); }},
      {"as_strided",
       [](const Tensor& x) {
         return call("as_strided", "", x, Ints{2, 2}, Ints{1, 2}, int64_t{1});
       }},
      {"overlapping as_strided",
       [](const Tensor& x) {
         return call("as_strided", "", x, Ints{3, 3}, Ints{1, 1}, int64_t{0});
       }},
      {"alias", [](const Tensor& x) { return call("alias", "", x); }},
  };
  for (const auto& [name, view_of] : views) {
    SCOPED_TRACE(name);
    const auto& make = view_of;  // clang 14 captures no structured bindings
    expect_differences([&](const Tensor& x) { return weighted(make(x)); }, kSix, {2, 3});
    expect_differences([&](const Tensor& x) { return weighted(make(mul(x, 2))); }, kSix, {2, 3});
    expect_differences(
        [&](const Tensor& x) {
          return weighted(make(transpose(view(x, {3, 2}))));
        },
        kSix, {2, 3});
  }
}

TEST(View, an_empty_one_gives_zeros_at_any_offset_and_stride) {
  constexpr int64_t kFar = int64_t{1} << 59, kStride = int64_t{1} << 62;
  const Tensor x = leaf({1, 2, 3});
  for (const int64_t offset : {int64_t{0}, kFar})
    sum(call("as_strided", "", x, Ints{4, 0}, Ints{kStride, 1}, offset)).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(0, 0, 0));
}

TEST(View, several_results_each_give_their_part) {
  const Tensor x = leaf(kSix, {3, 2});
  const auto parts = unbind(x);
  sum(add(mul(parts[0], 2), mul(parts[2], 5))).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 2, 0, 0, 5, 5));
}

TEST(View, writing_to_a_view_changes_the_history_of_its_base) {
  const Tensor x = leaf({1, 2, 3, 4}), w = leaf({10, 20});
  Tensor y = mul(x, 2);
  mul_(slice(y, 0, 1, 3), w);
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 20, 40, 2));
  EXPECT_THAT(values(w.grad()), ElementsAre(4, 6));
}

// Rule 3 of the hard cases: neither the base nor its views knew gradients before one of them was
// written to.
TEST(View, rule_3_other_views_see_a_write_that_brings_gradients) {
  const Tensor base = tensor({1, 2, 3, 4}), w = leaf({10, 20});
  const Tensor u = slice(base, 0, 0, 3), v = slice(base, 0, 1, 3);
  EXPECT_FALSE(u.requires_grad());
  mul_(v, w);
  EXPECT_TRUE(base.requires_grad());
  const Tensor total = sum(mul(u, u));
  EXPECT_TRUE(total.requires_grad());
  total.backward();
  EXPECT_THAT(values(u), ElementsAre(1, 20, 60));
  EXPECT_THAT(values(w.grad()), ElementsAre(2 * 20 * 2, 2 * 60 * 3));
}

TEST(View, rule_3_a_view_that_was_not_used_yet_says_that_it_requires_gradients) {
  const Tensor base = tensor({1, 2, 3, 4}), w = leaf({10, 20});
  const Tensor u = slice(base, 0, 0, 3);
  EXPECT_FALSE(u.requires_grad());
  mul_(slice(base, 0, 1, 3), w);
  EXPECT_TRUE(u.requires_grad());
}

TEST(View, rule_3_a_view_sees_a_write_to_its_base) {
  const Tensor x = leaf({1, 2, 3}), w = leaf({5, 6, 7});
  Tensor y = mul(x, 2);
  const Tensor v = slice(y, 0, 1, 3);
  mul_(y, w);
  sum(v).backward();
  EXPECT_EQ(grad_fn(v), "as_strided");
  EXPECT_THAT(values(x.grad()), ElementsAre(0, 12, 14));
  EXPECT_THAT(values(w.grad()), ElementsAre(0, 4, 6));
}

TEST(View, writes_through_overlapping_views_follow_each_other) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = mul(x, 1);
  const Tensor front = slice(y, 0, 0, 2), back = slice(y, 0, 1, 3);
  mul_(front, tensor({2, 3}));
  mul_(back, tensor({5, 7}));
  exp_(select(front, 0, 0));
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), Pointwise(DoubleNear(1e-12), Values{2 * std::exp(2.0), 15, 7}));
}

TEST(View, writing_a_constant_cuts_the_path) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = mul(x, 2);
  write("fill_", "Scalar", slice(y, 0, 0, 2), 9.0);
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(0, 0, 2));
}

TEST(View, a_view_made_under_no_grad_has_no_history_and_refuses_recorded_writes) {
  const Tensor x = leaf({1, 2});
  const Tensor y = mul(x, 2);
  Tensor v;
  {
    const tn::NoGrad off;
    v = view(y, {2, 1});
  }
  EXPECT_FALSE(v.requires_grad());
  EXPECT_THAT(error_of([&] { mul_(v, leaf({3, 4}, {2, 1})); }), HasSubstr("no_grad mode"));
  EXPECT_FALSE(view(v, {1, 2}).requires_grad());
}

TEST(View, one_of_several_results_refuses_recorded_writes) {
  const Tensor x = leaf(kSix, {3, 2});
  const auto parts = unbind(mul(x, 2));
  EXPECT_THAT(error_of([&] { mul_(parts[0], tensor({1, 2})); }), HasSubstr("multiple views"));
}

TEST(View, a_base_that_becomes_a_leaf_later_leaves_its_views_alone) {
  Tensor base = tensor({1, 2, 3});
  const Tensor v = slice(base, 0, 0, 2);
  base.requires_grad_();
  EXPECT_FALSE(v.requires_grad());
}

TEST(View, a_graph_with_writes_to_views_is_freed) {
  const uint64_t before = tn::api->tensor_live_count();
  {
    const Tensor w = leaf({10, 20});
    const Tensor base = tensor({1, 2, 3, 4});
    const Tensor u = slice(base, 0, 0, 3), v = slice(base, 0, 1, 3);
    for (int i = 0; i < 3; ++i) mul_(v, w);
    sum(u).backward();
  }
  EXPECT_EQ(tn::api->tensor_live_count(), before);
}

}  // namespace test
