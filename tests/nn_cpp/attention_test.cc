// Attention and dropout.
#include <array>

#include <tenon/ops/attention.h>

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
  for (const int64_t length : {3, 9})  // by products, and by a kernel of its own
    expect_gradients(
        [](auto& x) {
          return tn::scaled_dot_product_attention(x[0], x[1], x[2], Tensor(), 0, true);
        },
        {random({2, length, 2}, TN_F64, 1), random({2, length, 2}, TN_F64, 2),
         random({2, length, 2}, TN_F64, 3)});
}

// More queries and keys than a block holds, in sizes that leave every kind of rest.
struct Long {
  static constexpr int64_t queries = 137, keys = 530, depth = 17, width = 35;
  Tensor q = random({1, 2, queries, depth}, TN_F64, 1), k = random({1, 2, keys, depth}, TN_F64, 2),
         v = random({1, 2, keys, width}, TN_F64, 3);
  // Rows 0 and 70 see nothing; row 3 nothing of the first block of keys.
  static bool sees(size_t i, size_t j) { return i % 70 != 0 && (i != 3 || j > 520) && j % 3 != 1; }
  static Tensor mask(tn::DType dtype) {
    Numbers numbers;
    for (size_t i = 0; i < queries; ++i)
      for (size_t j = 0; j < keys; ++j)
        numbers.push_back(dtype == TN_BOOL ? sees(i, j) : sees(i, j) ? 0 : -HUGE_VAL);
    return tensor(numbers, {queries, keys}, dtype);
  }
};

TEST(Attention, MatchesTheDefinitionInBlocks) {
  const Long x;
  for (tn::DType dtype : {TN_F64, TN_F32, TN_BF16, TN_F16}) {
    const Tensor q = x.q.to(dtype), k = x.k.to(dtype), v = x.v.to(dtype);
    const double tolerance = dtype == TN_F64 ? 1e-12 : dtype == TN_F32 ? 2e-6 : 1e-2;
    const auto check = [&](const Tensor& found, auto sees) {
      for (int64_t h = 0; h < 2; ++h) {
        const Numbers expected = reference(head(q, 0, h), head(k, 0, h), head(v, 0, h), 0.4, sees);
        const Numbers got = numbers(head(found, 0, h));
        ASSERT_EQ(got.size(), expected.size());
        for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], tolerance) << i;
      }
    };
    const auto attend = [&](const Tensor& mask, bool causal) {
      return tn::scaled_dot_product_attention(q, k, v, mask, 0, causal, 0.4);
    };
    check(attend(Tensor(), false), [](size_t, size_t) { return true; });
    check(attend(Tensor(), true), [](size_t i, size_t j) { return j <= i; });
    check(attend(Long::mask(TN_BOOL), false), Long::sees);
    check(attend(Long::mask(dtype), false), Long::sees);
    const Tensor turned =
        tn::transpose(tn::clone(tn::transpose(Long::mask(TN_BOOL), 0, 1), TN_CONTIGUOUS), 0, 1);
    check(attend(turned, false), Long::sees);
  }
}

TEST(Attention, GradientsAgreeWithThoseOfProducts) {
  const Long x;
  const auto gradients = [&](const Tensor& mask, bool causal, bool by_products) {
    Tensor q = tn::clone(x.q), k = tn::clone(x.k), v = tn::clone(x.v), added = mask;
    for (Tensor* t : {&q, &k, &v}) t->requires_grad_();
    // A mask that wants a gradient is served by products.
    if (by_products) added = tn::clone(mask).requires_grad_();
    const Tensor y = tn::scaled_dot_product_attention(q, k, v, added, 0, causal, 0.4);
    tn::sum(y * random(sizes_of(y), TN_F64, 5)).backward();
    return std::array{q.grad(), k.grad(), v.grad()};
  };
  const Tensor none, masked = Long::mask(TN_F64), zeros = tn::zeros_like(masked);
  Numbers later;
  for (size_t i = 0; i < Long::queries; ++i)
    for (size_t j = 0; j < Long::keys; ++j) later.push_back(j <= i ? 0 : -HUGE_VAL);
  const Tensor triangle = tensor(later, {Long::queries, Long::keys});
  const std::array expected{gradients(zeros, false, true), gradients(triangle, false, true),
                            gradients(masked, false, true)};
  const std::array found{gradients(none, false, false), gradients(none, true, false),
                         gradients(Long::mask(TN_BOOL), false, false)};
  for (size_t i = 0; i < 3; ++i)
    for (size_t t = 0; t < 3; ++t) expect_near(found[i][t], numbers(expected[i][t]));
}

// What a device without the kernels computes.
TEST(Attention, DecompositionsAgreeWithKernels) {
  const Long x;
  const Tensor mask = Long::mask(TN_BOOL),
               g = random({1, 2, Long::queries, Long::width}, TN_F64, 6);
  for (const bool causal : {false, true}) {
    const Tensor given = causal ? Tensor() : mask;
    const auto [y, logarithms] =
        tn::_scaled_dot_product_attention(x.q, x.k, x.v, given, causal, 0.4);
    const auto [plain, plain_logarithms] =
        tn::ops::FusedAttention::decompose(x.q, x.k, x.v, given, causal, 0.4);
    expect_near(y, numbers(plain));
    expect_near(logarithms, numbers(plain_logarithms));
    const auto [q, k, v] = tn::_scaled_dot_product_attention_backward(g, x.q, x.k, x.v, given, y,
                                                                      logarithms, causal, 0.4);
    const auto [plain_q, plain_k, plain_v] = tn::ops::FusedAttentionBackward::decompose(
        g, x.q, x.k, x.v, given, y, logarithms, causal, 0.4);
    expect_near(q, numbers(plain_q));
    expect_near(k, numbers(plain_k));
    expect_near(v, numbers(plain_v));
  }
}

TEST(Attention, DoesNotDependOnThreads) {
  const Long x;
  const Tensor q = x.q.to(TN_F32), k = x.k.to(TN_F32), v = x.v.to(TN_F32);
  const int32_t before = tn::api->num_threads();
  tn::check(tn::api->set_num_threads(1));
  const Numbers one = numbers(tn::scaled_dot_product_attention(q, k, v));
  for (int32_t threads : {2, 3, 5}) {
    tn::check(tn::api->set_num_threads(threads));
    EXPECT_EQ(numbers(tn::scaled_dot_product_attention(q, k, v)), one);
  }
  tn::check(tn::api->set_num_threads(before));
}

TEST(Attention, WithoutKeysIsNothing) {
  const Tensor y = tn::scaled_dot_product_attention(random({2, 9, 4}), tn::zeros({2, 0, 4}, TN_F64),
                                                    tn::zeros({2, 0, 3}, TN_F64));
  EXPECT_EQ(numbers(y), Numbers(54, 0.0));
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
