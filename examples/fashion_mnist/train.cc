// Trains the network on Fashion-MNIST, on the device and with the providers that tenon.toml names,
// and writes the weights and the test pictures for classify.c.
//
// Exit status: 0 success; 1 it failed, with the reason on stderr; 2 wrong usage.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

#include "dataset.h"
#include "network.h"
#include "progress.h"
#include "providers.h"

namespace {

using fashion::Dataset;
using fashion::Network;
using tn::Tensor;

struct Options {
  std::string data = "/usr/share/datasets/fashion-mnist";
  std::string output = ".";
  int64_t epochs = 4;
  int64_t batch = 64;
  int64_t limit = 0;
  int32_t threads = 0;
  uint64_t seed = 1;
  double lr = 2e-3;
};

// Fills `options`; returns the exit status where the program shall end here, else -1.
int read_options(int argc, char** argv, Options& options) {
  CLI::App app("Trains a small convolutional network on Fashion-MNIST.", "fashion_mnist_train");
  app.add_option("--data", options.data, "Folder of the four .gz files")->capture_default_str();
  app.add_option("--output", options.output, "Folder to write fashion.safetensors to")
      ->capture_default_str();
  app.add_option("--epochs", options.epochs)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--batch", options.batch, "Images a step")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--limit", options.limit, "Only the first so many images of each set; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--threads", options.threads, "0: what tenon.toml says")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--lr", options.lr, "Learning rate at the start; it falls to 0 in a line")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return -1;
}

// Images whose most likely class is their label, as one number on the device.
Tensor correct(const Tensor& logits, const Tensor& labels) {
  return tn::sum(tn::eq(tn::argmax(logits, 1), labels));
}

void train(Network& network, const Dataset& data, const Options& options) {
  tn::optim::AdamW optimizer(network.parameters(), {.lr = options.lr});
  fashion::Progress progress(options.epochs, options.epochs * data.size());
  const int64_t steps = options.epochs * ((data.size() + options.batch - 1) / options.batch);
  int64_t step = 0;
  network.train();
  for (int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    const Tensor order = tn::randperm(data.size());
    Tensor loss_sum = tn::zeros({}), hits = tn::zeros({}, TN_I64);
    for (int64_t at = 0; at < data.size(); at += options.batch, ++step) {
      const int64_t count = std::min(options.batch, data.size() - at);
      const Tensor chosen = tn::narrow(order, 0, at, count);
      const Tensor images = fashion::normalised(tn::index_select(data.images, 0, chosen));
      const Tensor labels = tn::index_select(data.labels, 0, chosen);

      optimizer.set_lr(options.lr * static_cast<double>(steps - step) / static_cast<double>(steps));
      optimizer.zero_grad();
      const Tensor logits = network(images);
      const Tensor loss = tn::nn::cross_entropy(logits, labels);
      loss.backward();
      optimizer.step();

      const tn::NoGrad no_grad;
      tn::add_(loss_sum, loss, count);
      tn::add_(hits, correct(logits, labels));
      const int64_t seen = at + count;
      const bool ends = seen == data.size();
      if (ends || progress.is_due())
        progress.show(epoch, (epoch - 1) * data.size() + seen,
                      loss_sum.item() / static_cast<double>(seen),
                      hits.item() / static_cast<double>(seen), ends);
    }
  }
  std::printf("trained in %.1f s\n", progress.seconds());
}

double accuracy(Network& network, const Dataset& data, int64_t batch) {
  const tn::InferenceMode inference;
  network.eval();
  Tensor hits = tn::zeros({}, TN_I64);
  for (int64_t at = 0; at < data.size(); at += batch) {
    const int64_t count = std::min(batch, data.size() - at);
    const Tensor logits = network(fashion::normalised(tn::narrow(data.images, 0, at, count)));
    tn::add_(hits, correct(logits, tn::narrow(data.labels, 0, at, count)));
  }
  return hits.item() / static_cast<double>(data.size());
}

void save(const Network& network, const Dataset& test, const std::string& folder) {
  std::string classes;
  for (const char* name : fashion::kClasses)
    classes += (classes.empty() ? "" : ",") + std::string(name);
  tn::save(folder + "/fashion.safetensors", network.state_dict(),
           {{"classes", classes},
            {"mean", std::to_string(fashion::kMean)},
            {"deviation", std::to_string(fashion::kDeviation)},
            {"network", Network::kDescription}});
  tn::save(folder + "/fashion-test.safetensors",
           {{"images", test.images}, {"labels", test.labels}});
  std::printf("wrote %s/fashion.safetensors and %s/fashion-test.safetensors\n", folder.c_str(),
              folder.c_str());
}

// What would fail at the end fails at the beginning.
void expect_output(const std::string& folder) {
  tn::safetensors();
  if (!std::filesystem::is_directory(folder))
    throw std::runtime_error("--output " + folder + ": no such folder; create it first");
}

void run(const Options& options) {
  tn::init();
  expect_output(options.output);
  if (options.threads) tn::check(tn::api->set_num_threads(options.threads));
  tn::api->manual_seed(options.seed);
  Network network;
  const Dataset training = fashion::read_dataset(options.data, "train", options.limit);
  const Dataset test = fashion::read_dataset(options.data, "t10k", options.limit);
  std::printf("%lld training and %lld test images; %lld parameters on %s; %d threads\n",
              static_cast<long long>(training.size()), static_cast<long long>(test.size()),
              static_cast<long long>(network.parameter_count()),
              network.linear.weight.device().name().c_str(), tn::api->num_threads());
  const Tensor sample = tn::narrow(training.images, 0, 0, std::min(options.batch, training.size()));
  std::printf("%s\n", fashion::providers(network, fashion::normalised(sample)).c_str());
  train(network, training, options);
  std::printf("test accuracy: %.2f %%\n", 100 * accuracy(network, test, 500));
  save(network, test, options.output);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const int status = read_options(argc, argv, options); status >= 0) return status;
  try {
    run(options);
    return 0;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "fashion_mnist_train: %s\n", error.what());
    return 1;
  }
}
