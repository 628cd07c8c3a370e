// Attention and dropout.
#include "support.h"

namespace {

using namespace test;

// One head: query [l, e], key [s, e], value [s, v]; a query sees the keys that `sees` says.
template <class Sees>
Numbers reference(const Tensor& query, const Tensor& key, const Tensor& value, double scale,
                  Sees sees) {
  const Numbers q = numbers(query), k = numbers(key), v = numbers(value);
  const size_t l = static_cast<size_t>(query.size(0)), e = static_cast<size_t>(query.size(1));
  const size_t s = static_cast<size_t>(key.size(0)), width = static_cast<size_t>(value.size(1));
  Numbers out(l * width);
  for (size_t i = 0; i < l; ++i) {
    Numbers weight(s);
    double sum = 0;
    for (size_t j = 0; j < s; ++j) {
      if (!sees(i, j)) continue;
      for (size_t d = 0; d < e; ++d) weight[j] += q[i * e + d] * k[j * e + d];
      weight[j] = std::exp(weight[j] * scale);
      sum += weight[j];
    }
    for (size_t j = 0; j < s; ++j)
      for (size_t d = 0; d < width && sum > 0; ++d)
        out[i * width + d] += weight[j] / sum * v[j * width + d];
  }
  return out;
}
Tensor head(const Tensor& t, int64_t b, int64_t h) {
  return tn::select(tn::select(t, 0, b), 0, h);
}

TEST(Attention, MatchesTheDefinition) {
  const Tensor q = random({2, 3, 5, 4}, TN_F64, 1), k = random({2, 3, 6, 4}, TN_F64, 2),
               v = random({2, 3, 6, 7}, TN_F64, 3);
  const Tensor full = tn::scaled_dot_product_attention(q, k, v);
  const Tensor causal = tn::scaled_dot_product_attention(q, k, v, Tensor(), 0, true, 0.3);
  Numbers allowed(30);
  for (size_t i = 0; i < 30; ++i)
    allowed[i] = i >= 6 && i % 3 != 0;  // the first query sees nothing
  const Tensor mask = tensor(allowed, {5, 6}, TN_BOOL);
  const Tensor masked = tn::scaled_dot_product_attention(q, k, v, mask);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 3; ++h) {
      const Tensor x = head(q, b, h), y = head(k, b, h), z = head(v, b, h);
      expect_near(head(full, b, h), reference(x, y, z, 0.5, [](size_t, size_t) { return true; }));
      expect_near(head(causal, b, h),
                  reference(x, y, z, 0.3, [](size_t i, size_t j) { return j <= i; }));
      expect_near(head(masked, b, h), reference(x, y, z, 0.5, [&](size_t i, size_t j) {
                    return allowed[i * 6 + j] != 0;
                  }));
    }
}

TEST(Attention, AddsAMaskAndRepeatsHeads) {
  const Tensor q = random({1, 4, 3, 2}, TN_F64, 1), k = random({1, 2, 3, 2}, TN_F64, 2),
               v = random({1, 2, 3, 2}, TN_F64, 3);
  const double inf = HUGE_VAL;
  const Tensor mask = tensor({0, -inf, -inf, 0, 0, -inf, 0, 0, 0}, {3, 3});
  const Tensor y = tn::scaled_dot_product_attention(q, k, v, mask, 0, false, std::nullopt, true);
  for (int64_t h = 0; h < 4; ++h)
    expect_near(head(y, 0, h),
                reference(head(q, 0, h), head(k, 0, h / 2), head(v, 0, h / 2), std::sqrt(0.5),
                          [](size_t i, size_t j) { return j <= i; }));
}

TEST(Attention, IsDifferentiableTwice) {
  expect_gradients(
      [](auto& x) { return tn::scaled_dot_product_attention(x[0], x[1], x[2], Tensor(), 0, true); },
      {random({2, 3, 2}, TN_F64, 1), random({2, 3, 2}, TN_F64, 2), random({2, 3, 2}, TN_F64, 3)});
}

TEST(Attention, NamesWhatDoesNotFit) {
  const Tensor x = random({2, 3, 2});
  expect_error(TN_INVALID_ARGUMENT, "is_causal", [&] {
    tn::scaled_dot_product_attention(x, x, x, tensor(Numbers(9, 0.0), {3, 3}), 0, true);
  });
  expect_error(TN_INVALID_ARGUMENT, "two dimensions",
               [&] { tn::scaled_dot_product_attention(random({2}), x, x); });
  expect_error(TN_INVALID_ARGUMENT, "do not fit", [&] {
    tn::scaled_dot_product_attention(x, random({2, 3, 3}), x);
  });
}

TEST(Dropout, KeepsWithTheGivenProbabilityAndScales) {
  const Tensor x = random({100, 100}) + 2.0;
  tn::api->manual_seed(5);
  const auto [y, mask] = tn::native_dropout(x, 0.25, true);
  const Numbers v = numbers(x), found = numbers(y), kept = numbers(mask);
  double count = 0;
  for (size_t i = 0; i < v.size(); ++i) {
    count += kept[i];
    ASSERT_NEAR(found[i], kept[i] * v[i] / 0.75, 1e-12);
  }
  EXPECT_NEAR(count / 1e4, 0.75, 5 * std::sqrt(0.25 * 0.75 / 1e4));
  tn::api->manual_seed(5);
  EXPECT_EQ(numbers(tn::dropout(x, 0.25, true)), found);
  EXPECT_EQ(numbers(tn::dropout(x, 0.25, false)), v);
  EXPECT_EQ(numbers(tn::dropout(x, 1, true)), Numbers(v.size(), 0.0));
  expect_error(TN_INVALID_ARGUMENT, "[0, 1]", [&] { tn::dropout(x, 1.5, true); });
}

TEST(Dropout, PassesGradientsWhereItKept) {
  const Tensor x = random({50}).requires_grad_();
  const auto [y, mask] = tn::native_dropout(x, 0.5, true);
  tn::sum(y).backward();
  expect_near(x.grad(), numbers(mask.to(TN_F64) * 2.0));
}

}  // namespace
