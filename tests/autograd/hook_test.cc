// Hooks on gradients, gradients kept for results, and backward inside backward.
#include <memory>

#include "support.h"

namespace test {

// A hook as a C++ function; counts how often its context was destroyed.
struct Hooked {
  std::function<Tensor(const Tensor&)> body;
  int* destroyed;
};

uint64_t hook(const Tensor& t, std::function<Tensor(const Tensor&)> body,
              int* destroyed = nullptr) {
  uint64_t id = 0;
  auto hooked = std::make_unique<Hooked>(Hooked{std::move(body), destroyed});
  tn::check(tn::autograd().add_hook(
      t.get(),
      [](void* context, tn_tensor* grad, tn_tensor** out) {
        return tn::guard(
            [&] { *out = static_cast<Hooked*>(context)->body(Tensor::share(grad)).release(); });
      },
      hooked.get(),
      [](void* context) {
        const std::unique_ptr<Hooked> own(static_cast<Hooked*>(context));
        if (own->destroyed) ++*own->destroyed;
      },
      &id));
  static_cast<void>(hooked.release());  // on failure the context stays the caller's
  return id;
}
void unhook(const Tensor& t, uint64_t id) {
  tn::check(tn::autograd().remove_hook(t.get(), id));
}

TEST(Hook, sees_and_replaces_gradients_in_order) {
  const Tensor x = leaf({1, 2});
  const Tensor y = mul(x, 2);
  Values seen;
  hook(y, [](const Tensor& g) { return mul(g, 10); });
  hook(y, [&](const Tensor& g) {
    seen = values(g);
    return Tensor();
  });
  sum(y).backward();
  EXPECT_THAT(seen, ElementsAre(10, 10));
  EXPECT_THAT(values(x.grad()), ElementsAre(20, 20));
}

TEST(Hook, on_a_leaf_runs_before_the_gradient_gathers) {
  const Tensor x = leaf({1, 2});
  hook(x, [](const Tensor& g) { return mul(g, 3); });
  for (int pass = 1; pass <= 2; ++pass) {
    sum(x).backward();
    EXPECT_THAT(values(x.grad()), ElementsAre(3 * pass, 3 * pass));
  }
}

TEST(Hook, a_removed_one_runs_no_more_and_its_context_goes) {
  int destroyed = 0;
  const Tensor x = leaf({1, 2});
  const uint64_t id = hook(
      x, [](const Tensor& g) { return mul(g, 3); }, &destroyed);
  unhook(x, id);
  EXPECT_EQ(destroyed, 1);
  sum(x).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(1, 1));
  EXPECT_THAT(error_of([&] { unhook(x, id); }), HasSubstr("no hook"));
}

TEST(Hook, contexts_go_with_the_graph) {
  int destroyed = 0;
  {
    const Tensor y = mul(leaf({1, 2}), 2);
    hook(
        y, [](const Tensor&) { return Tensor(); }, &destroyed);
  }
  EXPECT_EQ(destroyed, 1);
}

TEST(Hook, needs_a_tensor_with_gradients) {
  EXPECT_THAT(error_of([] { hook(tensor({1}), [](const Tensor& g) { return g; }); }),
              HasSubstr("requires no gradient"));
}

TEST(Hook, must_keep_the_shape) {
  const Tensor x = leaf({1, 2});
  hook(x, [](const Tensor&) { return tensor({1, 2, 3}); });
  EXPECT_THAT(error_of([&] { sum(x).backward(); }), HasSubstr("f64[3]"));
}

TEST(Hook, an_error_stops_backward_and_is_passed_on) {
  const Tensor x = leaf({1, 2});
  const Tensor y = mul(x, 2);
  hook(y, [](const Tensor&) -> Tensor { tn::fail(TN_RUNTIME_ERROR, "stop here"); });
  const std::string message = error_of([&] { sum(y).backward(); });
  EXPECT_THAT(message, HasSubstr("stop here"));
  EXPECT_THAT(message, HasSubstr("gradient of mul"));
  EXPECT_FALSE(x.grad().defined());
}

TEST(Hook, stays_with_the_value_before_an_in_place_operator) {
  const Tensor x = leaf({1});
  const Tensor y = mul(x, 2);
  Values seen;
  hook(y, [&](const Tensor& g) {
    seen = values(g);
    return Tensor();
  });
  mul_(y, tensor({5}));
  y.backward();
  EXPECT_THAT(seen, ElementsAre(5));
}

TEST(Hook, retain_grad_keeps_the_gradient_of_a_result) {
  const Tensor x = leaf({3});
  const Tensor y = mul(x, x), z = mul(y, 4);
  tn::check(tn::autograd().retain_grad(y.get()));
  z.backward();
  EXPECT_THAT(values(y.grad()), ElementsAre(4));
  EXPECT_FALSE(z.grad().defined());
}

TEST(Hook, a_retained_gradient_moves_with_an_in_place_operator) {
  const Tensor x = leaf({3});
  const Tensor y = mul(x, x);
  tn::check(tn::autograd().retain_grad(y.get()));
  mul_(y, tensor({5}));
  mul(y, 2).backward();
  EXPECT_THAT(values(y.grad()), ElementsAre(2));
  EXPECT_THAT(values(x.grad()), ElementsAre(60));
}

TEST(Hook, rule_1_backward_inside_a_hook) {
  const Tensor x = leaf({2}), w = leaf({3});
  const Tensor y = mul(x, x);
  hook(y, [&](const Tensor& g) {
    const tn::EnableGrad on;
    mul(mul(w, w), detach(g)).backward();
    return Tensor();
  });
  mul(y, 5).backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(30));
  EXPECT_THAT(values(x.grad()), ElementsAre(20));
}

}  // namespace test
