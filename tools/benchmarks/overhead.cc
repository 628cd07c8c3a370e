// The price of a call: rows of one operation each, run a given number of times so that time or
// instructions per call can be measured from outside. `tools/bench overhead` does.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <tenon/calls.h>
#include <tenon/sdk/autograd.h>

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

struct Row {
  const char* name;
  int calls;  // per run of `run`
  void (*run)(Data&);
};

void chain_forward_backward(Data& d) {
  Tensor y = d.chain;
  for (int i = 0; i < 100; ++i) y = tn::mul(y, d.chain);
  tn::sum(y).backward();
  d.chain.set_grad({});
}

const Row kRows[] = {
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

double run(const Row& row, Data& data, int64_t times) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < times; ++i) row.run(data);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// No arguments: lists "NAME CALLS" lines. NAME TIMES: runs a row and prints nanoseconds per call.
int main(int argc, char** argv) try {
  if (argc == 1) {
    for (const Row& row : kRows) std::printf("%s %d\n", row.name, row.calls);
    return 0;
  }
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_overhead [ROW TIMES]\n");
    return 2;
  }
  tn::init();
  for (const Row& row : kRows) {
    if (std::strcmp(row.name, argv[1]) != 0) continue;
    Data data;
    run(row, data, 20);
    const auto times = static_cast<int64_t>(std::atoll(argv[2]));
    std::printf("%.2f\n", run(row, data, times) / static_cast<double>(times * row.calls));
    return 0;
  }
  std::fprintf(stderr, "bench_overhead: no row %s\n", argv[1]);
  return 2;
} catch (const tn::Error& error) {
  std::fprintf(stderr, "bench_overhead: %s\n", error.what());
  return 1;
}
