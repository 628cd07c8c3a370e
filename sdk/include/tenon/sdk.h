// All that a C++ program needs: tensors, operators, gradients, layers, optimizers, weights files.
//
//   #include <tenon/sdk.h>   and link libtenon (CMake: Tenon::tenon)
#pragma once

#include <tenon/nn/conv.h>
#include <tenon/nn/embedding.h>
#include <tenon/nn/linear.h>
#include <tenon/nn/loss.h>
#include <tenon/nn/norm.h>
#include <tenon/nn/sequential.h>
#include <tenon/nn/stateless.h>
#include <tenon/optim/adam.h>
#include <tenon/optim/sgd.h>
#include <tenon/sdk/operators.h>
