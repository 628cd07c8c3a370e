// Gradients of what this folder tests, against finite differences in double.
#include "operators.h"

#include <cmath>
#include <functional>

#include <tenon/sdk/autograd.h>

namespace {

using Function = std::function<tn::Tensor(const tn::Tensor&)>;

// A weight for each element of the result, so that no two gradients are alike by accident.
tn::Tensor weighted(const tn::Tensor& y) {
  return tn::sum(y * tn::cos(tn::view(tn::arange(y.numel(), TN_F64), y.sizes())));
}

tn::Tensor sample(std::vector<int64_t> sizes) {
  return tn::sin(counting(std::move(sizes), TN_F64) + 1);
}

void expect_gradient(const Function& f, const tn::Tensor& at) {
  tn::Tensor x = tn::clone(at);
  x.requires_grad_();
  const tn::Tensor g = tn::grad({weighted(f(x))}, {x})[0];
  ASSERT_EQ(shape(g), shape(at));
  const std::vector<double> computed = g.to_vector<double>();
  for (int64_t i = 0; i < at.numel(); ++i) {
    constexpr double h = 1e-6;
    tn::Tensor up = tn::clone(at, TN_CONTIGUOUS), down = tn::clone(at, TN_CONTIGUOUS);
    up.data<double>()[i] += h;
    down.data<double>()[i] -= h;
    const double expected = (weighted(f(up)).item() - weighted(f(down)).item()) / (2 * h);
    EXPECT_NEAR(computed[static_cast<size_t>(i)], expected, 1e-7) << "element " << i;
  }
  // Second order: the gradient, squared so that it depends on x, differentiated again.
  tn::Tensor z = tn::clone(at);
  z.requires_grad_();
  const tn::Tensor first = tn::grad({weighted(f(z * z))}, {z}, {}, TN_BACKWARD_CREATE_GRAPH)[0];
  const std::vector<double> second = tn::grad({tn::sum(first)}, {z})[0].to_vector<double>();
  for (size_t i = 0; i < computed.size(); ++i)
    EXPECT_NEAR(second[i], 2 * computed[i], 1e-7) << "element " << i;
}

tn::Tensor at() {
  return tn::view(ints({2, 0, 1, 1}), {2, 2});
}

}  // namespace

TEST(Gradient, OfViews) {
  const tn::Tensor x = sample({2, 3});
  expect_gradient([](const tn::Tensor& t) { return tn::view(t, {3, 2}); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::t(t); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::reshape(tn::t(t), {6}); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::select(t, 1, 2); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::slice(t, 1, 0, 3, 2); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::diagonal(t); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::expand(t, {2, 2, 3}); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::unfold(t, 1, 2, 1); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::chunk(t, 2, 1)[0]; }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::unbind(t, 1)[1]; }, x);
}

TEST(Gradient, OfCopies) {
  const tn::Tensor x = sample({2, 3});
  expect_gradient([](const tn::Tensor& t) { return tn::clone(t); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::contiguous(tn::t(t)); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::to(t, TN_F64, false, true); }, x);
}

TEST(Gradient, OfJoins) {
  const tn::Tensor x = sample({2, 3});
  expect_gradient([](const tn::Tensor& t) { return tn::cat({t, t * 2}, 1); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::stack({t, t}, 2); }, x);
}

TEST(Gradient, OfIndexing) {
  const tn::Tensor x = sample({2, 3});
  const tn::Tensor other = sample({2, 4});
  expect_gradient([](const tn::Tensor& t) { return tn::index_select(t, 1, ints({2, 0, 2})); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::gather(t, 1, at()); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::scatter(t, 1, at(), 2.0); }, x);
  expect_gradient(
      [](const tn::Tensor& t) { return tn::scatter_add(t, 1, at(), tn::narrow(t, 1, 0, 2)); }, x);
  const tn::Tensor once = tn::view(ints({2, 0, 1, 3}), {2, 2});
  expect_gradient([&](const tn::Tensor& t) { return tn::scatter(other, 1, once, t); }, x);
  expect_gradient(
      [&](const tn::Tensor& t) {
        return tn::index_add(other, 1, ints({0, 3, 0}), t, 2);
      },
      x);
}

TEST(Gradient, OfReplacedParts) {
  const tn::Tensor x = sample({2, 3}), row = sample({3});
  expect_gradient([&](const tn::Tensor& t) { return tn::select_scatter(t, row, 0, 1); }, x);
  expect_gradient([&](const tn::Tensor& t) { return tn::select_scatter(x, t, 0, 1); }, row);
  expect_gradient([](const tn::Tensor& t) { return tn::diag(t, 1); }, row);
  expect_gradient([](const tn::Tensor& t) { return tn::diag(t); }, x);
}

TEST(Gradient, OfRearrangements) {
  const tn::Tensor x = sample({2, 3});
  expect_gradient([](const tn::Tensor& t) { return tn::flip(t, {0, 1}); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::tril(t); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::triu(t, 1); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::repeat(t, {2, 2}); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::roll(t, {1, 2}, {0, 1}); }, x);
  expect_gradient([](const tn::Tensor& t) { return tn::rot90(t, 3); }, x);
}
