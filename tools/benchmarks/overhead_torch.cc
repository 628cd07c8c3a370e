// The rows of overhead.cc in libtorch, in inference mode unless they are recorded.
#include <optional>

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include "overhead.h"

namespace {

using at::Tensor;

// In this order: leaves are made before inference mode begins, all else in it. A row whose work is
// recorded ends the mode.
struct Data {
  Tensor leaf = at::ones({1}).requires_grad_(), chain = at::ones({4}).requires_grad_();
  Tensor constant = at::ones({1});
  std::optional<c10::InferenceMode> inference{std::in_place};
  Tensor one = at::ones({1}), other = at::ones({1}), out = at::empty({1}),
         matrix = at::ones({8, 16});
};

void chain_forward_backward(Data& d) {
  d.inference.reset();
  Tensor y = d.chain;
  for (int i = 0; i < 100; ++i) y = at::mul(y, d.chain);
  at::sum(y).backward();
  d.chain.mutable_grad().reset();
}

const bench::Row<Data> kRows[] = {
    {"add", 1, [](Data& d) { at::add(d.one, d.other); }},
    {"add_number", 1, [](Data& d) { at::add(d.one, 2); }},
    {"add_out", 1, [](Data& d) { at::add_out(d.out, d.one, d.other); }},
    {"add_in_place", 1, [](Data& d) { d.one.add_(d.other); }},
    {"add_broadcast", 1, [](Data& d) { at::add(d.matrix, d.one); }},
    {"view", 1,
     [](Data& d) {
       d.matrix.view({16, 8});
     }},
    {"select", 1, [](Data& d) { at::select(d.matrix, 0, 1); }},
    {"empty", 1, [](Data&) { at::empty({1}); }},
    {"sum", 1, [](Data& d) { at::sum(d.matrix); }},
    {"mm", 1, [](Data& d) { at::mm(d.matrix, at::t(d.matrix)); }},
    {"add_recorded", 1,
     [](Data& d) {
       d.inference.reset();
       at::add(d.leaf, d.constant);
     }},
    {"chain_100_backward", 100, chain_forward_backward},
};

}  // namespace

int main(int argc, char** argv) {
  return bench::run<Data>(
      kRows, [] {}, argc, argv);
}
