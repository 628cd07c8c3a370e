// require_cpu.cc - ends a test program built for x86-64-v4 with the "skipped" code on a lesser CPU.
//
// Compiled for the base instruction set and run before every other initialiser, since those of the
// test itself may already use the target's instructions.
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kSkipped = 77;

__attribute__((constructor(101))) void require_cpu() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return;
  }
  std::puts("skipped: this CPU lacks x86-64-v4 (AVX-512 F, BW, CD, DQ, VL)");
  std::fflush(stdout);
  std::_Exit(kSkipped);
}

}  // namespace
