// Losses.
#include "support.h"

namespace {

using namespace test;

enum : int64_t {
  kNone = 0,
  kMean = 1,
  kSum = 2
};

struct Expected {
  Numbers each;
  double sum = 0, weight = 0;
};
// self as [n, classes, inner].
Expected reference(const Tensor& self, const std::vector<int64_t>& target, const Tensor& weight,
                   int64_t ignore) {
  const Numbers v = numbers(self);
  const int64_t classes = self.size(self.dim() == 1 ? 0 : 1);
  int64_t inner = 1;
  for (int64_t d = 2; d < self.dim(); ++d) inner *= self.size(d);
  Expected e;
  for (size_t i = 0; i < target.size(); ++i) {
    const int64_t place = static_cast<int64_t>(i), t = target[i];
    const double w = t == ignore        ? 0
                     : weight.defined() ? numbers(weight)[static_cast<size_t>(t)]
                                        : 1;
    e.each.push_back(
        t == ignore
            ? 0
            : -w * v[static_cast<size_t>((place / inner * classes + t) * inner + place % inner)]);
    e.sum += e.each.back();
    e.weight += w;
  }
  return e;
}

TEST(NllLoss, PicksTheTargetsOfAllRanks) {
  for (tn::DType dtype : {TN_F32, TN_F64, TN_BF16, TN_F16})
    for (const Sizes& sizes : {Sizes{4}, {5, 4}, {2, 4, 3}, {2, 4, 3, 2}}) {
      const Tensor x = random(sizes, dtype), w = random({4}, dtype, 2) + 2.0;
      Sizes shape = sizes;
      shape.erase(shape.begin() + (sizes.size() == 1 ? 0 : 1));
      std::vector<int64_t> target;
      for (int64_t i = 0; i < product(shape); ++i) target.push_back(i % 5 == 3 ? -100 : i % 4);
      const Tensor t = indices(target, shape);
      for (const Tensor& weight : {Tensor(), w}) {
        const Expected e = reference(x, target, weight, -100);
        const Tensor each = tn::nll_loss(x, t, weight, kNone);
        EXPECT_EQ(sizes_of(each), shape);
        expect_near(each, e.each);
        expect_near(tn::nll_loss(x, t, weight, kSum), {e.sum});
        expect_near(tn::nll_loss(x, t, weight), {e.sum / e.weight});
        expect_near(
            tn::cross_entropy_loss(x, t, weight),
            numbers(tn::nll_loss(tn::log_softmax(x, sizes.size() == 1 ? 0 : 1), t, weight)));
      }
    }
}

TEST(NllLoss, OfNothingIsNoNumber) {
  EXPECT_TRUE(
      std::isnan(tn::nll_loss(random({2, 3}), indices({1, 1}, {2}), Tensor(), kMean, 1).item()));
  EXPECT_EQ(tn::nll_loss(random({2, 3}), indices({1, 1}, {2}), Tensor(), kSum, 1).item(), 0);
}

TEST(NllLoss, IsDifferentiableTwice) {
  const Tensor t = indices({0, 2, 1, -100}, {2, 2}), w = random({3}) + 2.0;
  for (int64_t reduction : {kNone, kMean, kSum}) {
    expect_gradients([&](auto& x) { return tn::nll_loss(x[0], t, w, reduction); },
                     {random({2, 3, 2})});
    expect_gradients(
        [&](auto& x) { return tn::cross_entropy_loss(x[0], t, w, reduction, -100, 0.1); },
        {random({2, 3, 2})});
  }
  expect_gradients([](auto& x) { return tn::cross_entropy_loss(x[0], tn::softmax(x[1], 1)); },
                   {random({2, 3}), random({2, 3}, TN_F64, 2)});
}

TEST(CrossEntropy, SmoothsLabels) {
  const Tensor x = random({3, 4});
  const std::vector<int64_t> target = {1, 3, 0};
  const Numbers logs = numbers(tn::log_softmax(x, 1));
  double expected = 0;
  for (size_t i = 0; i < 3; ++i)
    for (size_t c = 0; c < 4; ++c)
      expected -=
          logs[i * 4 + c] * ((static_cast<int64_t>(c) == target[i] ? 0.8 : 0) + 0.2 / 4) / 3;
  expect_near(tn::cross_entropy_loss(x, indices(target, {3}), Tensor(), kMean, -100, 0.2),
              {expected});
  // The same as probabilities.
  Numbers hot(12);
  for (size_t i = 0; i < 3; ++i) hot[i * 4 + static_cast<size_t>(target[i])] = 1;
  expect_near(tn::cross_entropy_loss(x, tensor(hot, {3, 4}), Tensor(), kMean, -100, 0.2),
              {expected});
}

TEST(Losses, MatchTheirDefinitions) {
  const Tensor x = random({3, 4}) * 3.0, y = random({3, 4}, TN_F64, 2);
  const Tensor p = tn::sigmoid(x), q = tn::sigmoid(y), w = random({4}, TN_F64, 3) + 2.0;
  const Numbers a = numbers(x), b = numbers(y), u = numbers(p), v = numbers(q),
                weights = numbers(w);
  Numbers mse, l1, huber, smooth, logits, bce, kl;
  for (size_t i = 0; i < a.size(); ++i) {
    const double d = std::fabs(a[i] - b[i]);
    mse.push_back(d * d);
    l1.push_back(d);
    huber.push_back(d <= 0.7 ? d * d / 2 : 0.7 * (d - 0.35));
    smooth.push_back(d < 0.7 ? d * d / 1.4 : d - 0.35);
    logits.push_back(-(weights[i % 4] * v[i] * std::log(u[i]) + (1 - v[i]) * std::log(1 - u[i])));
    bce.push_back(-weights[i % 4] * (v[i] * std::log(u[i]) + (1 - v[i]) * std::log(1 - u[i])));
    kl.push_back(v[i] * (std::log(v[i]) - a[i]));
  }
  expect_near(tn::mse_loss(x, y, kNone), mse);
  expect_near(tn::l1_loss(x, y, kNone), l1);
  expect_near(tn::huber_loss(x, y, kNone, 0.7), huber);
  expect_near(tn::smooth_l1_loss(x, y, kNone, 0.7), smooth);
  expect_near(tn::binary_cross_entropy_with_logits(x, q, Tensor(), w, kNone), logits);
  expect_near(tn::binary_cross_entropy(p, q, w, kNone), bce);
  expect_near(tn::kl_div(x, q, kNone), kl);
  expect_near(tn::kl_div(x, tn::log(q), kNone, true), kl);
  double total = 0;
  for (double d : mse) total += d;
  expect_near(tn::mse_loss(x, y), {total / 12});
  expect_near(tn::mse_loss(x, y, kSum), {total});
  expect_near(tn::binary_cross_entropy_with_logits(tensor({-1000, 1000}, {2}), tensor({0, 0}, {2}),
                                                   Tensor(), Tensor(), kNone),
              {0, 1000});
}

TEST(Losses, AreDifferentiableTwice) {
  const std::vector<Tensor> xy = {random({3, 2}), random({3, 2}, TN_F64, 2)};
  expect_gradients([](auto& x) { return tn::mse_loss(x[0], x[1]); }, xy);
  expect_gradients([](auto& x) { return tn::l1_loss(x[0], x[1]); }, xy);
  expect_gradients([](auto& x) { return tn::huber_loss(x[0], x[1], kNone, 0.7); }, xy);
  expect_gradients([](auto& x) { return tn::smooth_l1_loss(x[0], x[1], kSum, 0.7); }, xy);
  expect_gradients(
      [](auto& x) { return tn::binary_cross_entropy_with_logits(x[0], tn::sigmoid(x[1])); }, xy);
  expect_gradients(
      [](auto& x) { return tn::binary_cross_entropy(tn::sigmoid(x[0]), tn::sigmoid(x[1])); }, xy);
  expect_gradients([](auto& x) { return tn::kl_div(x[0], tn::sigmoid(x[1])); }, xy);
}

TEST(Losses, NameWhatDoesNotFit) {
  const Tensor x = random({2, 3});
  expect_error(TN_INDEX_ERROR, "target 3 is outside [0, 3)", [&] {
    tn::nll_loss(x, indices({0, 3}, {2}));
  });
  expect_error(TN_INDEX_ERROR, "target -1", [&] { tn::nll_loss(x, indices({0, -1}, {2})); });
  expect_error(TN_INVALID_ARGUMENT, "without the classes",
               [&] { tn::nll_loss(x, indices({0}, {1})); });
  expect_error(TN_TYPE_ERROR, "class indices", [&] { tn::nll_loss(x, random({2})); });
  expect_error(TN_INVALID_ARGUMENT, "weight", [&] {
    tn::nll_loss(x, indices({0, 1}, {2}), random({2}));
  });
  expect_error(TN_INVALID_ARGUMENT, "reduction must be", [&] { tn::mse_loss(x, x, 3); });
  expect_error(TN_INVALID_ARGUMENT, "label_smoothing", [&] {
    tn::cross_entropy_loss(x, indices({0, 1}, {2}), Tensor(), kMean, -100, 2);
  });
}

}  // namespace
