// The least that a program with the C++ library costs; prints its peak memory.
#include <iostream>

#include "peak_memory.h"

int main() {
  std::cout << static_cast<long long>(bench_peak_memory()) << '\n';
}
