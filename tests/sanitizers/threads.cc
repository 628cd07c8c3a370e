// Two threads, or OpenMP's, with one fault or none: the thread sanitizer must report `race`,
// `tensor` and `openmp`, and must not report `openmp_ordered`, where OpenMP alone orders the
// accesses.
#include <cstdio>
#include <string_view>
#include <thread>

#include <tenon/sdk.h>

namespace {

template <class F>
void twice_at_once(F work) {
  std::thread other(work);
  work();
  other.join();
}

void race() {
  int count = 0;
  twice_at_once([&] { ++count; });
  std::printf("%d\n", count);
}

// A kernel of the cpu plugin writes the same memory from two threads.
void tensor() {
  tn::init();
  const tn::Tensor x = tn::zeros({1000});
  twice_at_once([&] { tn::fill_(x, 1.0); });
}

void openmp() {
  int count = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 1000; ++i) ++count;
  std::printf("%d\n", count);
}

// Kernels of the cpu plugin: the second reads by columns what two threads wrote by rows. Only the
// barrier that ends the first orders the two, and the sanitizer knows of it from archer, libomp's
// tool.
void kernels() {
  tn::init();
  tn::check(tn::api->set_num_threads(2));
  const tn::Tensor x = tn::zeros({1024, 1024}) + 1;
  std::printf("%g\n", tn::sum(tn::contiguous(tn::t(x))).item());
}

}  // namespace

// Exit status 0 whatever happens: only a report makes it fail.
int main(int argc, char** argv) {
  const std::string_view fault = argc == 2 ? argv[1] : "";
  if (fault == "race") race();
  if (fault == "tensor") tensor();
  if (fault == "openmp") openmp();
  if (fault == "kernels") kernels();
}
