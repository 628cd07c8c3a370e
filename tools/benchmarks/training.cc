// Training steps: forward, backward and optimizer.
#include <memory>

#include "tenon_rows.h"

namespace {

using tn::Tensor;

// 784 - 512 - 512 - 10
struct Perceptron : tn::nn::Module {
  tn::nn::Linear first{784, 512}, second{512, 512}, last{512, 10};

  Tensor operator()(const Tensor& x) const { return last(tn::relu(second(tn::relu(first(x))))); }
  void collect(tn::nn::Members& m) const override {
    m.module("first", first);
    m.module("second", second);
    m.module("last", last);
  }
};

// Two convolutions of 3x3, each followed by a pool of 2x2 or by none, and a linear layer.
struct Convolutions : tn::nn::Module {
  bool pools;
  tn::nn::Conv2d first{1, 32, 3, 1, 1}, second{32, 64, 3, 1, 1};
  tn::nn::Linear last;
  tn::nn::MaxPool2d pool{2};

  explicit Convolutions(bool pools) : pools(pools), last(pools ? 64 * 7 * 7 : 64 * 28 * 28, 10) {}
  Tensor operator()(const Tensor& images) const {
    Tensor x = tn::relu(first(images));
    if (pools) x = pool(x);
    x = tn::relu(second(x));
    if (pools) x = pool(x);
    return last(tn::flatten(x, 1));
  }
  void collect(tn::nn::Members& m) const override {
    m.module("first", first);
    m.module("second", second);
    m.module("last", last);
  }
};

// A transformer's block with the normalisation before each part; 4 heads of 64.
struct Block : tn::nn::Module {
  static constexpr int64_t kWidth = 256, kHeads = 4;
  tn::nn::LayerNorm norm1{kWidth}, norm2{kWidth};
  tn::nn::Linear joint{kWidth, 3 * kWidth}, projection{kWidth, kWidth}, wide{kWidth, 4 * kWidth},
      narrow{4 * kWidth, kWidth};

  Tensor operator()(const Tensor& x) const {
    const int64_t batch = x.size(0), length = x.size(1);
    const auto parts = tn::chunk(joint(norm1(x)), 3, 2);
    const auto heads = [&](const Tensor& part) {
      return tn::transpose(tn::view(part, {batch, length, kHeads, kWidth / kHeads}), 1, 2);
    };
    const Tensor mixed = tn::scaled_dot_product_attention(heads(parts[0]), heads(parts[1]),
                                                          heads(parts[2]), {}, 0, true);
    const Tensor y =
        x + projection(tn::reshape(tn::transpose(mixed, 1, 2), {batch, length, kWidth}));
    return y + narrow(tn::gelu(wide(norm2(y)), "tanh"));
  }
  void collect(tn::nn::Members& m) const override {
    m.module("norm1", norm1);
    m.module("norm2", norm2);
    m.module("joint", joint);
    m.module("projection", projection);
    m.module("wide", wide);
    m.module("narrow", narrow);
  }
};

// 4 blocks, 256 wide, over a vocabulary of 256 and 128 places.
struct Gpt : tn::nn::Module {
  tn::nn::Embedding tokens{256, Block::kWidth}, places{128, Block::kWidth};
  Block blocks[4];
  tn::nn::LayerNorm norm{Block::kWidth};
  tn::nn::Linear head{Block::kWidth, 256, false};
  Tensor all_places = tn::arange(128);

  Tensor operator()(const Tensor& text) const {
    Tensor x = tokens(text) + places(all_places);
    for (const Block& block : blocks) x = block(x);
    return tn::view(head(norm(x)), {-1, 256});
  }
  void collect(tn::nn::Members& m) const override {
    m.module("tokens", tokens);
    m.module("places", places);
    for (size_t i = 0; i < 4; ++i) m.module("blocks." + std::to_string(i), blocks[i]);
    m.module("norm", norm);
    m.module("head", head);
  }
};

template <class Optimizer, class Network, class Options>
bench::Work step(const std::shared_ptr<Network>& network, const Options& options,
                 const Tensor& input, const Tensor& target) {
  const auto optimizer = std::make_shared<Optimizer>(network->parameters(), options);
  return [=] {
    optimizer->zero_grad();
    tn::nn::cross_entropy((*network)(input), target).backward();
    optimizer->step();
  };
}

constexpr tn::optim::SGDOptions kSGD{.lr = 0.01};

bench::Work train_perceptron() {
  return step<tn::optim::SGD>(std::make_shared<Perceptron>(), kSGD, tn::randn({128, 784}),
                              tn::randint(10, {128}));
}

bench::Work train_convolutions(bool pools) {
  return step<tn::optim::SGD>(std::make_shared<Convolutions>(pools), kSGD,
                              tn::randn({64, 1, 28, 28}), tn::randint(10, {64}));
}

bench::Work train_gpt() {
  return step<tn::optim::AdamW>(std::make_shared<Gpt>(), tn::optim::AdamWOptions{.lr = 1e-3},
                                tn::randint(256, {8, 128}), tn::randint(256, {8 * 128}));
}

}  // namespace

void bench::add_training_rows() {
  row("training/mlp", train_perceptron);
  row("training/cnn", [] { return train_convolutions(true); });
  row("training/cnn_without_pools", [] { return train_convolutions(false); });
  row("training/gpt", train_gpt);
}
