// The price of a call.
#include <tenon/calls.h>
#include <tenon/sdk/autograd.h>

#include "overhead.h"

namespace {

using tn::Tensor;

// What every row works on, made once.
struct Data {
  Tensor one = tn::ones({1}), other = tn::ones({1}), out = tn::empty({1}),
         matrix = tn::ones({8, 16});
  Tensor leaf = tn::ones({1}), chain = tn::ones({4});
  Data() {
    leaf.requires_grad_();
    chain.requires_grad_();
  }
};

void chain_forward_backward(Data& d) {
  Tensor y = d.chain;
  for (int i = 0; i < 100; ++i) y = tn::mul(y, d.chain);
  tn::sum(y).backward();
  d.chain.set_grad({});
}

const bench::Row<Data> kRows[] = {
    {"add", 1, [](Data& d) { tn::add(d.one, d.other); }},
    {"add_number", 1, [](Data& d) { tn::add(d.one, 2); }},
    {"add_out", 1, [](Data& d) { tn::add_out(d.out, d.one, d.other); }},
    {"add_in_place", 1, [](Data& d) { tn::add_(d.one, d.other); }},
    {"add_broadcast", 1, [](Data& d) { tn::add(d.matrix, d.one); }},
    {"view", 1,
     [](Data& d) {
       tn::view(d.matrix, {16, 8});
     }},
    {"select", 1, [](Data& d) { tn::select(d.matrix, 0, 1); }},
    {"empty", 1, [](Data&) { tn::empty({1}); }},
    {"sum", 1, [](Data& d) { tn::sum(d.matrix); }},
    {"mm", 1, [](Data& d) { tn::mm(d.matrix, tn::t(d.matrix)); }},
    {"add_recorded", 1, [](Data& d) { tn::add(d.leaf, d.other); }},
    {"chain_100_backward", 100, chain_forward_backward},
};

}  // namespace

int main(int argc, char** argv) {
  return bench::run<Data>(
      kRows, [] { tn::init(); }, argc, argv);
}
