// Which providers of kernels serve the network's operators, from tn_explain.
#pragma once

#include <string>

#include "network.h"

namespace fashion {

// "convolution by onednn, linear by onednn, max_pool2d by cpu", for a batch of normalised images.
std::string providers(const Network& network, const tn::Tensor& images);

}  // namespace fashion
