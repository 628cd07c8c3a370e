// Fashion-MNIST (Xiao et al., 2017): 28 x 28 grey pictures of clothes in ten classes.
#pragma once

#include <array>
#include <string>

#include <tenon/sdk/operators.h>

namespace fashion {

inline constexpr std::array<const char*, 10> kClasses = {
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

// Of the training pictures, with pixels from 0 to 1.
inline constexpr double kMean = 0.2860, kDeviation = 0.3530;

struct Dataset {
  tn::Tensor images;  // u8 [N, 1, 28, 28], on the default device
  tn::Tensor labels;  // i64 [N], there too

  int64_t size() const { return labels.numel(); }
};

// Reads NAME-images-idx3-ubyte.gz and NAME-labels-idx1-ubyte.gz from `folder`; NAME is "train" or
// "t10k". `limit` keeps the first so many examples; 0 keeps all. Throws std::runtime_error where a
// file is missing, damaged or does not fit the other.
Dataset read_dataset(const std::string& folder, const std::string& name, int64_t limit);

// Pixels as the network wants them: f32, mean 0 and deviation 1 over the training pictures.
tn::Tensor normalised(const tn::Tensor& images);

}  // namespace fashion
