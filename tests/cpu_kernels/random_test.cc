// Random numbers: the published stream, the same whatever the strides and threads.
#include "tensors.h"

namespace {

std::vector<double> uniform(const tn::Tensor& t) {
  tn::api->manual_seed(7);
  tn::uniform_(t);
  return values(t);
}

TEST(Uniform, Rule21StartsWithTheKnownAnswerOfPhilox) {
  // Salmon et al., Random123's kat_vectors: counter 0, key 0.
  constexpr uint64_t words[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  tn::Tensor t = tn::empty({2}, TN_F64);
  tn::api->manual_seed(0);
  tn::uniform_(t);
  EXPECT_EQ(values(t),
            (std::vector<double>{static_cast<double>(words[0] << 21 | words[1] >> 11) * 0x1p-53,
                                 static_cast<double>(words[2] << 21 | words[3] >> 11) * 0x1p-53}));
}

TEST(Uniform, Rule21DoesNotDependOnThreadsOrStrides) {
  auto [one, three] = with_threads([] { return uniform(tn::empty({300, 1000})); });
  EXPECT_EQ(one, three);
  EXPECT_EQ(uniform(tn::t(tn::empty({1000, 300}))), one);
  EXPECT_EQ(uniform(tn::slice(tn::empty({300, 2000}), 1, 0, 2000, 2)), one);
}

TEST(Uniform, StaysInItsRange) {
  for (tn::DType dtype : {TN_F16, TN_BF16, TN_F32, TN_F64}) {
    tn::Tensor t = tn::empty({100000}, dtype);
    tn::uniform_(t, -2, 3);
    double sum = 0;
    for (double v : values(t)) {
      ASSERT_GE(v, -2);
      ASSERT_LE(v, 3);
      sum += v;
    }
    EXPECT_NEAR(sum / 100000, 0.5, 0.05);
  }
  expect_error(TN_INVALID_ARGUMENT, "from <= to", [] { tn::uniform_(tn::empty({3}), 1, 0); });
}

TEST(Normal, HasItsMomentsAndBernoulliItsMean) {
  tn::Tensor t = tn::empty({1 << 18});
  tn::normal_(t, 1, 2);
  EXPECT_NEAR(tn::mean(t).item(), 1, 0.03);
  EXPECT_NEAR(tn::std(t).item(), 2, 0.03);
  tn::bernoulli_(t, 0.3);
  EXPECT_NEAR(tn::mean(t).item(), 0.3, 0.01);
}

}  // namespace
