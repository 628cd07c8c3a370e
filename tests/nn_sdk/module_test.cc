// Modules as trees of named tensors.
#include "support.h"

namespace {

using namespace test;

struct Net : tn::nn::Module {
  tn::nn::Linear first{2, 3}, last{3, 1, false};
  tn::nn::BatchNorm2d norm{4, 1e-5, 0.1, false};
  tn::nn::Dropout dropout;

  void collect(tn::nn::Members& m) const override {
    m.module("first", first);
    m.module("norm", norm);
    m.module("dropout", dropout);
    m.module("last", last);
  }
};

std::vector<std::string> names(const tn::nn::Module& module) {
  std::vector<std::string> all;
  for (const auto& named : module.named_parameters()) all.push_back(named.name);
  return all;
}

TEST(Module, NamesParametersByPathInOrder) {
  EXPECT_THAT(names(Net()), ElementsAre("first.weight", "first.bias", "last.weight"));
  EXPECT_EQ(Net().parameter_count(), 6 + 3 + 3);
  tn::nn::Sequential net(tn::nn::Linear(1, 1), tn::nn::ReLU(), Net());
  EXPECT_THAT(names(net),
              ElementsAre("0.weight", "0.bias", "2.first.weight", "2.first.bias", "2.last.weight"));
}

TEST(Module, ListsASharedParameterOnceAndSavesItTwice) {
  Net net;
  net.last.weight = net.first.weight;
  EXPECT_THAT(names(net), ElementsAre("first.weight", "first.bias"));
  EXPECT_EQ(net.state_dict().count("last.weight"), 1u);
}

TEST(Module, RefusesTwoTensorsOfOneName) {
  struct Twice : tn::nn::Module {
    tn::nn::Linear a{1, 1, false}, b{1, 1, false};
    void collect(tn::nn::Members& m) const override {
      m.module("layer", a);
      m.module("layer", b);
    }
  };
  expect_error(TN_ALREADY_EXISTS, "\"layer.weight\"", [] { Twice().parameters(); });
}

TEST(Module, SavesParametersAndBuffers) {
  std::vector<std::string> all;
  for (const auto& [name, tensor] : Net().state_dict()) {
    all.push_back(name);
    EXPECT_FALSE(tensor.requires_grad()) << name;
  }
  EXPECT_THAT(all,
              ElementsAre("first.bias", "first.weight", "last.weight", "norm.num_batches_tracked",
                          "norm.running_mean", "norm.running_var"));
}

TEST(Module, LoadsWhatAnotherSaved) {
  Net from, to;
  ASSERT_NE(numbers(from.first.weight), numbers(to.first.weight));
  to.load_state_dict(from.state_dict());
  EXPECT_EQ(numbers(from.first.weight), numbers(to.first.weight));
  EXPECT_TRUE(to.first.weight.requires_grad());
  EXPECT_NE(from.first.weight.get(), to.first.weight.get());
}

TEST(Module, ConvertsTheDtypeWhenItLoads) {
  Net net;
  tn::StateDict dict = net.state_dict();
  dict["last.weight"] = tensor({1, 2, 3}, {1, 3}).to(TN_F64);
  net.load_state_dict(dict);
  EXPECT_EQ(net.last.weight.dtype(), TN_F32);
  expect_near(net.last.weight, {1, 2, 3});
}

TEST(Module, ListsAllThatDoesNotFitAndChangesNothing) {
  Net net;
  const Numbers before = numbers(net.first.weight);
  tn::StateDict dict = Net().state_dict();
  dict.erase("first.bias");
  dict["last.weight"] = tn::zeros({3, 1});
  dict["surplus"] = tn::zeros({2});
  const std::string message = expect_error(TN_INVALID_ARGUMENT, "does not fit the module",
                                           [&] { net.load_state_dict(dict); });
  EXPECT_THAT(message, HasSubstr("\"first.bias\" is missing, expected f32[3]@cpu"));
  EXPECT_THAT(message, HasSubstr("\"last.weight\" is f32[3,1]@cpu, expected f32[1,3]@cpu"));
  EXPECT_THAT(message, HasSubstr("\"surplus\", f32[2]@cpu, is not part of the module"));
  EXPECT_EQ(numbers(net.first.weight), before);
}

TEST(Module, LoadsAPartWhenNotStrict) {
  Net net;
  net.load_state_dict({{"last.weight", tensor({1, 2, 3}, {1, 3})}, {"surplus", tn::zeros({2})}},
                      false);
  expect_near(net.last.weight, {1, 2, 3});
  expect_error(TN_INVALID_ARGUMENT, "expected f32[1,3]@cpu", [&] {
    net.load_state_dict({{"last.weight", tn::zeros({9})}}, false);
  });
}

TEST(Module, TrainAndEvalReachEveryModule) {
  Net net;
  EXPECT_TRUE(net.is_training() && net.dropout.is_training());
  net.eval();
  EXPECT_FALSE(net.is_training() || net.dropout.is_training() || net.norm.is_training());
  net.train();
  EXPECT_TRUE(net.is_training() && net.dropout.is_training() && net.norm.is_training());
}

TEST(Module, ConvertsInPlaceSoThatOptimizersGoOn) {
  Net net;
  const Tensor held = net.first.weight;
  tn::sum(net.first(tn::ones({1, 2}))).backward();
  net.to(TN_F64);
  EXPECT_EQ(held.dtype(), TN_F64);
  EXPECT_TRUE(held.requires_grad());
  EXPECT_EQ(held.grad().dtype(), TN_F64);
  EXPECT_EQ(net.norm.running_mean.dtype(), TN_F64);
  EXPECT_EQ(net.norm.num_batches_tracked.dtype(), TN_I64);
  tn::optim::SGD(net.parameters()).step();
  EXPECT_EQ(net.first(tn::ones({1, 2}, TN_F64)).dtype(), TN_F64);
}

TEST(Module, ACopySharesParameters) {
  Net net;
  const Net copy = net;
  assign(net.last.weight, {7, 8, 9});
  expect_near(copy.last.weight, {7, 8, 9});
}

TEST(Module, ForgetsGradients) {
  Net net;
  tn::sum(net.first(tn::ones({1, 2}))).backward();
  ASSERT_TRUE(net.first.weight.grad().defined());
  net.zero_grad();
  EXPECT_FALSE(net.first.weight.grad().defined());
}

}  // namespace
