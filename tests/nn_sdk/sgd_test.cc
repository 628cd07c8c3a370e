// SGD over several steps, against the algorithm in plain numbers.
#include "support.h"

namespace {

using namespace test;
using tn::optim::SGD;
using tn::optim::SGDOptions;

// Minimises sum(c * p * p / 2), whose gradient is c * p.
struct Bowl {
  Numbers curvature = {1, 4, 0.5f};
  Tensor p = tensor({1, -2, 3}).requires_grad_();

  void backward() { tn::sum(tensor(curvature) * p * p * 0.5).backward(); }
};

Numbers expected(const SGDOptions& o, int steps) {
  const Bowl bowl;
  Numbers result;
  for (size_t i = 0; i < 3; ++i) {
    double p = static_cast<double>(numbers(bowl.p)[i]), v = 0;
    for (int step = 0; step < steps; ++step) {
      double g = static_cast<double>(bowl.curvature[i]) * p;
      if (o.maximize) g = -g;
      g += o.weight_decay * p;
      v = step == 0 ? g : o.momentum * v + (1 - o.dampening) * g;
      p -= o.lr * (o.momentum == 0 ? g : o.nesterov ? g + o.momentum * v : v);
    }
    result.push_back(static_cast<float>(p));
  }
  return result;
}

void run(SGD& optimizer, Bowl& bowl, int steps) {
  for (int i = 0; i < steps; ++i) {
    optimizer.zero_grad();
    bowl.backward();
    optimizer.step();
  }
}

TEST(SGD, FollowsTheAlgorithm) {
  std::vector<SGDOptions> cases(5);
  for (SGDOptions& o : cases) o.lr = 0.1;
  cases[1].momentum = 0.9;
  cases[2].momentum = 0.8, cases[2].dampening = 0.3, cases[2].weight_decay = 0.05;
  cases[3].momentum = 0.7, cases[3].nesterov = true, cases[3].weight_decay = 0.1;
  cases[4].maximize = true, cases[4].lr = 0.01;
  for (const SGDOptions& options : cases) {
    Bowl bowl;
    SGD optimizer({bowl.p}, options);
    run(optimizer, bowl, 7);
    expect_near(bowl.p, expected(options, 7), 1e-5f);
  }
}

TEST(SGD, TakesANewLearningRate) {
  Bowl bowl;
  SGD optimizer({bowl.p});
  optimizer.set_lr(0.5);
  EXPECT_EQ(optimizer.lr(), 0.5);
  run(optimizer, bowl, 1);
  expect_near(bowl.p, {0.5f, 2, 2.25f});
}

TEST(SGD, LeavesParametersWithoutGradientsAlone) {
  Bowl early, late;
  SGDOptions options;
  options.lr = 0.1, options.momentum = 0.9;
  SGD optimizer({early.p, late.p}, options);
  run(optimizer, early, 2);
  expect_near(late.p, {1, -2, 3});
  for (int i = 0; i < 3; ++i) {
    optimizer.zero_grad();
    early.backward();
    late.backward();
    optimizer.step();
  }
  // Each parameter has a first step of its own.
  expect_near(early.p, expected(options, 5), 1e-5f);
  expect_near(late.p, expected(options, 3), 1e-5f);
}

TEST(SGD, GoesOnFromItsStateBitForBit) {
  SGDOptions options;
  options.lr = 0.1, options.momentum = 0.9;
  Bowl straight, resumed;
  SGD whole({straight.p}, options), before({resumed.p}, options);
  run(whole, straight, 6);
  run(before, resumed, 3);
  tn::StateDict state = before.state_dict();
  EXPECT_EQ(state.count("0.momentum_buffer"), 1u);
  SGD after({resumed.p}, options);
  after.load_state_dict(state);
  run(after, resumed, 3);
  EXPECT_EQ(numbers(resumed.p), numbers(straight.p));
}

TEST(SGD, RefusesAStateThatDoesNotFit) {
  SGDOptions options;
  options.momentum = 0.9;
  Bowl bowl;
  SGD optimizer({bowl.p}, options);
  const std::string message = expect_error(TN_INVALID_ARGUMENT, "does not fit this SGD", [&] {
    optimizer.load_state_dict({{"0.momentum_buffer", tn::zeros({4})},
                               {"1.momentum_buffer", tn::zeros({3})},
                               {"0.exp_avg", tn::zeros({3})},
                               {"momentum_buffer", tn::zeros({3})}});
  });
  EXPECT_THAT(message, HasSubstr("\"0.momentum_buffer\" is f32[4]@cpu, expected f32[3]@cpu"));
  for (const char* name : {"\"1.momentum_buffer\"", "\"0.exp_avg\"", "\"momentum_buffer\""})
    EXPECT_THAT(message, HasSubstr(name));
  EXPECT_TRUE(optimizer.state_dict().empty());
}

TEST(SGD, RemovesGradientsOrSetsThemToZero) {
  Bowl bowl;
  SGD optimizer({bowl.p});
  bowl.backward();
  optimizer.zero_grad(false);
  EXPECT_THAT(numbers(bowl.p.grad()), ElementsAre(0, 0, 0));
  optimizer.zero_grad();
  EXPECT_FALSE(bowl.p.grad().defined());
}

TEST(SGD, RefusesSettingsOutOfRange) {
  const auto make = [](auto change) {
    return [change] {
      SGDOptions options;
      change(options);
      SGD({tn::zeros({1}).requires_grad_()}, options);
    };
  };
  expect_error(TN_INVALID_ARGUMENT, "lr cannot be -1", make([](SGDOptions& o) { o.lr = -1; }));
  expect_error(TN_INVALID_ARGUMENT, "momentum cannot be",
               make([](SGDOptions& o) { o.momentum = -0.5; }));
  expect_error(TN_INVALID_ARGUMENT, "weight_decay cannot be",
               make([](SGDOptions& o) { o.weight_decay = -1; }));
  expect_error(TN_INVALID_ARGUMENT, "nesterov needs",
               make([](SGDOptions& o) { o.nesterov = true; }));
}

TEST(SGD, RefusesWhatCannotBeTrained) {
  expect_error(TN_INVALID_ARGUMENT, "at least one parameter", [] { SGD({}); });
  expect_error(TN_INVALID_ARGUMENT, "parameter 0, f32[2]@cpu, is no leaf",
               [] { SGD({tn::zeros({2})}); });
  expect_error(TN_INVALID_ARGUMENT, "parameter 0, none", [] { SGD({Tensor()}); });
  Bowl bowl;
  expect_error(TN_INVALID_ARGUMENT, "is no leaf", [&] { SGD({bowl.p * 2.0}); });
}

}  // namespace
