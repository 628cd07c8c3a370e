// Recording, backward and optimizers without memory.
#include <tenon/optim/adam.h>
#include <tenon/optim/sgd.h>

#include "scenario.h"

namespace faults {
namespace {

Tensor leaf(const Numbers& values) {
  Tensor t = tensor(values, TN_F64);
  return t.requires_grad_();
}

TEST(FaultsInGradients, backward_into_leaves) {
  expect_clean_faults({.run =
                           [&] {
                             const Tensor x = leaf({0, 0}), w = leaf({3, 3});
                             tn::sum(tn::exp(x) * w + tn::slice(x, 0, 0, 1)).backward();
                             return Results{x.grad(), w.grad()};
                           },
                       .check =
                           [&](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(5, 3));
                             EXPECT_THAT(numbers(r[1]), ElementsAre(1, 1));
                           }});
}

TEST(FaultsInGradients, a_failed_call_leaves_no_history) {
  const Tensor x = leaf({1, 2});
  Tensor y;
  expect_clean_faults({.run =
                           [&] {
                             tn::mul_(y, y);
                             return Results{};
                           },
                       .check =
                           [&](const Results&) {
                             EXPECT_THAT(numbers(tn::grad({tn::sum(y)}, {x})[0]),
                                         ElementsAre(8, 16));
                           },
                       .unchanged = {x},
                       .reset = [&] { y = x * 2; }});
}

TEST(FaultsInGradients, of_gradients) {
  const Tensor x = leaf({1, 2});
  expect_clean_faults({.run =
                           [&] {
                             const Tensor cube = tn::sum(x * x * x);
                             const Tensor first =
                                 tn::grad({cube}, {x}, {}, TN_BACKWARD_CREATE_GRAPH)[0];
                             return Results{first, tn::grad({tn::sum(first)}, {x})[0]};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(3, 12));
                             EXPECT_THAT(numbers(r[1]), ElementsAre(6, 12));
                           },
                       .unchanged = {x}});
}

TEST(FaultsInGradients, through_a_network) {
  const Tensor image = tn::ones({1, 1, 6, 6}), kernel = tn::ones({2, 1, 3, 3}).requires_grad_();
  const Tensor classes = tensor({1}, TN_I64);
  expect_clean_faults(
      {.run =
           [&] {
             const Tensor maps = tn::max_pool2d(tn::relu(tn::conv2d(image, kernel)), {4, 4});
             const Tensor loss = tn::cross_entropy_loss(tn::view(maps, {1, 2}), classes);
             return Results{loss, tn::grad({loss}, {kernel})[0]};
           },
       .check =
           [](const Results& r) {
             EXPECT_NEAR(r[0].item(), 0.69314718, 1e-6);
             EXPECT_THAT(numbers(r[1]),
                         testing::AllOf(testing::SizeIs(18), testing::Contains(0.5).Times(9),
                                        testing::Contains(-0.5).Times(9)));
           },
       .unchanged = {image}});
}

tn_status twice(void*, tn_tensor* grad, tn_tensor** out) {
  return tn::guard([&] { *out = (Tensor::share(grad) * 2).release(); });
}
void count_down(void* contexts) {
  --*static_cast<int*>(contexts);
}

TEST(FaultsInGradients, hooks) {
  int contexts = 0;
  expect_clean_faults(
      {.run =
           [&] {
             const Tensor x = leaf({1, 2});
             const Tensor y = x * 3;
             uint64_t id = 0;
             tn::check(tn::autograd().add_hook(y.get(), twice, &contexts, count_down, &id));
             ++contexts;
             tn::check(tn::autograd().retain_grad(y.get()));
             tn::sum(y).backward();
             return Results{x.grad(), y.grad()};
           },
       .check =
           [&](const Results& r) {
             EXPECT_THAT(numbers(r[0]), ElementsAre(6, 6));
             EXPECT_THAT(numbers(r[1]), ElementsAre(2, 2));
             EXPECT_EQ(contexts, 0);
           }});
}

// A failed step is as if it had never been: the steps after it are right. `done` steps come before,
// one after the one that fails.
template <class Optimizer, class Options>
void expect_steps(const Options& options, int done, const Numbers& expected) {
  Tensor x = leaf({1, 2});
  std::optional<Optimizer> optimizer;
  const auto step = [&]() -> Results {
    optimizer->step();
    return {};
  };
  const auto check = [&](const Results&) {
    optimizer->step();
    EXPECT_THAT(numbers(x), testing::Pointwise(testing::DoubleNear(1e-6), expected));
  };
  const auto reset = [&] {
    x = leaf({1, 2});
    x.set_grad(tn::ones({2}, TN_F64));
    optimizer.emplace(std::vector<Tensor>{x}, options);
    for (int i = 0; i < done; ++i) optimizer->step();
  };
  expect_clean_faults({.run = step, .check = check, .unchanged = {x}, .reset = reset});
}

TEST(FaultsInOptimizers, sgd_with_momentum) {
  // Velocities 1, 1.5 and 1.75.
  const tn::optim::SGDOptions options = {.lr = 0.1, .momentum = 0.5};
  expect_steps<tn::optim::SGD>(options, 0, {0.75, 1.75});
  expect_steps<tn::optim::SGD>(options, 1, {0.575, 1.575});
}

TEST(FaultsInOptimizers, adam) {
  // With a constant gradient each step is lr, but for eps.
  const tn::optim::AdamOptions options = {.lr = 0.1};
  expect_steps<tn::optim::Adam>(options, 0, {0.8, 1.8});
  expect_steps<tn::optim::Adam>(options, 1, {0.7, 1.7});
}

}  // namespace
}  // namespace faults
