// Adam and AdamW over several steps, against the algorithm in plain numbers.
#include <algorithm>

#include "support.h"

namespace {

using namespace test;
using tn::optim::Adam;
using tn::optim::AdamOptions;
using tn::optim::AdamW;
using tn::optim::AdamWOptions;

struct Wave {
  Tensor p = tensor({1, -2, 3}).requires_grad_();
  // The gradient is cos(p).
  void backward() { tn::sum(tn::sin(p)).backward(); }
};

Numbers expected(const AdamOptions& o, bool decoupled, int steps) {
  Numbers result;
  for (double p : {1.0, -2.0, 3.0}) {
    double m = 0, v = 0, largest = 0;
    for (int t = 1; t <= steps; ++t) {
      double g = o.maximize ? -std::cos(p) : std::cos(p);
      if (decoupled)
        p *= 1 - o.lr * o.weight_decay;
      else
        g += o.weight_decay * p;
      m = o.beta1 * m + (1 - o.beta1) * g;
      v = o.beta2 * v + (1 - o.beta2) * g * g;
      largest = std::max(largest, v);
      const double second = (o.amsgrad ? largest : v) / (1 - std::pow(o.beta2, t));
      p -= o.lr * (m / (1 - std::pow(o.beta1, t))) / (std::sqrt(second) + o.eps);
    }
    result.push_back(static_cast<float>(p));
  }
  return result;
}

void run(Adam& optimizer, Wave& wave, int steps) {
  for (int i = 0; i < steps; ++i) {
    optimizer.zero_grad();
    wave.backward();
    optimizer.step();
  }
}

TEST(Adam, FollowsTheAlgorithm) {
  std::vector<AdamOptions> cases(4);
  for (AdamOptions& o : cases) o.lr = 0.1;
  cases[1].weight_decay = 0.2;
  cases[2].amsgrad = true, cases[2].beta2 = 0.5;
  cases[3].maximize = true, cases[3].beta1 = 0.5;
  for (const AdamOptions& options : cases) {
    Wave wave;
    Adam optimizer({wave.p}, options);
    run(optimizer, wave, 9);
    expect_near(wave.p, expected(options, false, 9));
  }
}

TEST(AdamW, ShrinksTheParameterItself) {
  AdamWOptions options;
  EXPECT_EQ(options.weight_decay, 0.01);
  options.lr = 0.1, options.weight_decay = 0.2;
  AdamOptions same;
  same.lr = 0.1, same.weight_decay = 0.2;
  Wave wave;
  AdamW optimizer({wave.p}, options);
  run(optimizer, wave, 9);
  expect_near(wave.p, expected(same, true, 9));
}

TEST(Adam, CountsTheStepsOfEachParameter) {
  AdamOptions options;
  options.lr = 0.1;
  Wave early, late;
  Adam optimizer({early.p, late.p}, options);
  run(optimizer, early, 2);
  for (int i = 0; i < 3; ++i) {
    optimizer.zero_grad();
    early.backward();
    late.backward();
    optimizer.step();
  }
  expect_near(early.p, expected(options, false, 5));
  expect_near(late.p, expected(options, false, 3));
}

TEST(Adam, GoesOnFromItsStateBitForBit) {
  for (const bool amsgrad : {false, true}) {
    AdamOptions options;
    options.lr = 0.1, options.amsgrad = amsgrad;
    Wave straight, resumed;
    Adam whole({straight.p}, options), before({resumed.p}, options);
    run(whole, straight, 6);
    run(before, resumed, 3);
    const tn::StateDict state = before.state_dict();
    EXPECT_EQ(state.size(), amsgrad ? 4u : 3u);
    EXPECT_EQ(state.at("0.step").item(), 3);
    Adam after({resumed.p}, options);
    after.load_state_dict(state);
    run(after, resumed, 3);
    EXPECT_EQ(numbers(resumed.p), numbers(straight.p));
    EXPECT_EQ(state.at("0.step").item(), 3) << "loading must copy";
  }
}

TEST(Adam, RefusesAStateThatDoesNotFit) {
  Wave wave;
  Adam optimizer({wave.p});
  const std::string message = expect_error(TN_INVALID_ARGUMENT, "does not fit this optimizer", [&] {
    optimizer.load_state_dict({{"0.exp_avg", tn::zeros({2})},
                               {"0.exp_avg_sq", tn::zeros({3})},
                               {"0.max_exp_avg_sq", tn::zeros({3})}});
  });
  EXPECT_THAT(message, HasSubstr("\"0.exp_avg\" is f32[2]@cpu, expected f32[3]@cpu"));
  EXPECT_THAT(message, HasSubstr("\"0.max_exp_avg_sq\" is nothing that this optimizer keeps"));
  EXPECT_THAT(message, HasSubstr("\"0.step\" is missing"));
  EXPECT_TRUE(optimizer.state_dict().empty());
}

TEST(Adam, RefusesSettingsOutOfRange) {
  const auto make = [](auto change) {
    return [change] {
      AdamOptions options;
      change(options);
      Adam({tn::zeros({1}).requires_grad_()}, options);
    };
  };
  expect_error(TN_INVALID_ARGUMENT, "beta1 cannot be 1", make([](AdamOptions& o) { o.beta1 = 1; }));
  expect_error(TN_INVALID_ARGUMENT, "beta2 cannot be -0.1",
               make([](AdamOptions& o) { o.beta2 = -0.1; }));
  expect_error(TN_INVALID_ARGUMENT, "eps cannot be -1", make([](AdamOptions& o) { o.eps = -1; }));
}

}  // namespace
