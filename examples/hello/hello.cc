// Fits a line to y = 3 x - 1 by gradient descent.
#include <cstdio>

#include <tenon/sdk.h>

int main() try {
  tn::init();
  const tn::Tensor x = tn::linspace(-1, 1, 100).to(TN_F32);
  const tn::Tensor y = 3 * x - 1;

  tn::Tensor slope = tn::zeros({1}), offset = tn::zeros({1});
  slope.requires_grad_();
  offset.requires_grad_();
  tn::optim::SGD optimizer({slope, offset}, {.lr = 0.1, .momentum = 0.9});

  for (int step = 0; step < 200; ++step) {
    optimizer.zero_grad();
    tn::nn::mse_loss(slope * x + offset, y).backward();
    optimizer.step();
  }
  std::printf("y = %.3f x + %.3f\n", slope.item(), offset.item());
} catch (const tn::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
