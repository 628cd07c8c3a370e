// Fused optimizer steps, against the algorithms element by element.
#include "support.h"

namespace {

using namespace test;

struct State {
  std::vector<Tensor> params, grads, first, second, largest, steps;
};
// Two parameters; the second is a transposed view, its gradient is not.
State make(tn::DType dtype) {
  State s;
  const Sizes shapes[] = {{7, 5}, {40}};
  for (size_t i = 0; i < 2; ++i) {
    const uint64_t seed = 10 * i;
    const Tensor p =
        i == 0 ? tn::t(random({5, 7}, dtype, seed + 1)) : random(shapes[i], dtype, seed + 1);
    s.params.push_back(p);
    s.grads.push_back(random(shapes[i], dtype, seed + 2));
    s.first.push_back(random(shapes[i], dtype, seed + 3));
    s.second.push_back(random(shapes[i], dtype, seed + 4) + 2.0);
    s.largest.push_back(random(shapes[i], dtype, seed + 5) + 2.0);
    s.steps.push_back(tensor({3}, {}, TN_F32));
  }
  return s;
}

TEST(FusedSgd, FollowsTheAlgorithm) {
  for (tn::DType dtype : {TN_F32, TN_F64, TN_BF16})
    for (bool nesterov : {false, true})
      for (bool first : {false, true}) {
        State s = make(dtype);
        const State before = make(dtype);
        tn::_fused_sgd_(s.params, s.grads, s.first, 0.01, 0.9, 0.1, nesterov ? 0.0 : 0.2, nesterov,
                        true, first);
        for (size_t i = 0; i < 2; ++i) {
          const Numbers p = numbers(before.params[i]), g = numbers(before.grads[i]),
                        b = numbers(before.first[i]);
          Numbers params, buffers;
          for (size_t j = 0; j < p.size(); ++j) {
            double grad = -g[j] + 0.01 * p[j];
            buffers.push_back(first ? grad : 0.9 * b[j] + (nesterov ? 1.0 : 0.8) * grad);
            grad = nesterov ? grad + 0.9 * buffers[j] : buffers[j];
            params.push_back(p[j] - 0.1 * grad);
          }
          expect_near(s.params[i], params);
          expect_near(s.first[i], buffers);
          EXPECT_EQ(numbers(s.grads[i]), g);
        }
      }
}

TEST(FusedSgd, NeedsNoBuffersWithoutMomentum) {
  State s = make(TN_F64);
  const State before = make(TN_F64);
  tn::_fused_sgd_(s.params, s.grads, {}, 0, 0, 0.5, 0, false, false, true);
  const Numbers p = numbers(before.params[0]), g = numbers(before.grads[0]);
  Numbers expected;
  for (size_t j = 0; j < p.size(); ++j) expected.push_back(p[j] - 0.5 * g[j]);
  expect_near(s.params[0], expected);
}

TEST(FusedAdam, FollowsTheAlgorithm) {
  for (tn::DType dtype : {TN_F32, TN_F64, TN_BF16})
    for (bool decoupled : {false, true})
      for (bool amsgrad : {false, true}) {
        State s = make(dtype);
        const State before = make(dtype);
        (decoupled ? tn::_fused_adamw_ : tn::_fused_adam_)(
            s.params, s.grads, s.first, s.second, amsgrad ? tn::Tensors(s.largest) : tn::Tensors(),
            s.steps, 0.01, 0.9, 0.99, 0.1, 1e-6, amsgrad, false, Tensor(), Tensor());
        for (size_t i = 0; i < 2; ++i) {
          const Numbers p = numbers(before.params[i]), g = numbers(before.grads[i]),
                        m = numbers(before.first[i]);
          const Numbers v = numbers(before.second[i]), l = numbers(before.largest[i]);
          Numbers params, firsts, seconds;
          for (size_t j = 0; j < p.size(); ++j) {
            const double grad = g[j] + (decoupled ? 0 : 0.1 * p[j]),
                         parameter = decoupled ? p[j] * (1 - 0.001) : p[j];
            firsts.push_back(0.9 * m[j] + 0.1 * grad);
            seconds.push_back(0.99 * v[j] + 0.01 * grad * grad);
            const double most = amsgrad ? std::max(l[j], seconds[j]) : seconds[j];
            params.push_back(parameter - 0.01 * firsts[j] / (1 - std::pow(0.9, 3)) /
                                             (std::sqrt(most / (1 - std::pow(0.99, 3))) + 1e-6));
          }
          expect_near(s.params[i], params);
          expect_near(s.first[i], firsts);
          expect_near(s.second[i], seconds);
        }
      }
}

TEST(FusedAdam, SkipsAStepWithInfinitiesAndDividesByTheScale) {
  State s = make(TN_F32), scaled = make(TN_F32);
  const State before = make(TN_F32);
  const Tensor found = tensor({1}, {}, TN_F32), none = tensor({0}, {}, TN_F32),
               scale = tensor({4}, {}, TN_F32);
  tn::_fused_adam_(s.params, s.grads, s.first, s.second, {}, s.steps, 0.01, 0.9, 0.99, 0, 1e-6,
                   false, false, scale, found);
  EXPECT_EQ(numbers(s.params[0]), numbers(before.params[0]));
  EXPECT_EQ(numbers(s.first[0]), numbers(before.first[0]));
  for (Tensor& g : scaled.grads) g = g * 4.0;
  tn::_fused_adam_(scaled.params, scaled.grads, scaled.first, scaled.second, {}, scaled.steps, 0.01,
                   0.9, 0.99, 0, 1e-6, false, false, scale, none);
  tn::_fused_adam_(s.params, s.grads, s.first, s.second, {}, s.steps, 0.01, 0.9, 0.99, 0, 1e-6,
                   false, false);
  expect_near(scaled.params[1], numbers(s.params[1]));
  expect_near(scaled.grads[1], numbers(before.grads[1]));
}

TEST(FusedAdam, CountsEachWriteAsANewVersion) {
  State s = make(TN_F32);
  const uint64_t before = s.params[1].version();
  tn::_fused_adam_(s.params, s.grads, s.first, s.second, {}, s.steps, 0.01, 0.9, 0.99, 0, 1e-6,
                   false, false);
  EXPECT_GT(s.params[1].version(), before);
}

TEST(FusedAdam, NamesWhatDoesNotFitAndChangesNothing) {
  State s = make(TN_F32);
  const State before = make(TN_F32);
  auto step = [&](tn::Tensors grads, tn::Tensors steps) {
    tn::_fused_adam_(s.params, grads, s.first, s.second, {}, steps, 0.01, 0.9, 0.99, 0, 1e-6, false,
                     false);
  };
  expect_error(TN_INVALID_ARGUMENT, "each of 2 parameters", [&] { step({s.grads[0]}, s.steps); });
  expect_error(TN_INVALID_ARGUMENT, "grads[1]", [&] {
    step({s.grads[0], random({3}, TN_F32)}, s.steps);
  });
  expect_error(TN_INVALID_ARGUMENT, "state_steps", [&] { step(s.grads, {s.steps[0]}); });
  EXPECT_EQ(numbers(s.params[0]), numbers(before.params[0]));
}

}  // namespace
