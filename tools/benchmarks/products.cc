// Products of sizes around those from which oneDNN pays; plugins/onednn/crossover.cc says what they
// showed and how to run them again. tools/bench does not report them.
#include "tenon_rows.h"

namespace {

struct Size {
  int64_t m, n, k;
};
constexpr Size kSizes[] = {
    {8, 8, 8},       {16, 16, 16},   {24, 24, 24},    {32, 32, 32},     {40, 40, 40},
    {48, 48, 48},    {64, 64, 64},   {128, 128, 128}, {8, 64, 64},      {8, 128, 128},
    {8, 256, 256},   {12, 512, 512}, {8, 1024, 1024}, {16, 1024, 1024}, {32, 1024, 1024},
    {1, 64, 64},     {1, 512, 512},  {1, 4096, 4096}, {2, 512, 512},    {4, 512, 512},
    {64, 1, 64},     {512, 1, 512},  {512, 2, 512},   {512, 4, 512},    {1024, 4, 1024},
    {1024, 8, 1024}, {128, 10, 512}, {1024, 1024, 8},
};

tn::Tensor matrix(int64_t rows, int64_t columns, bool transposed, tn::DType dtype) {
  return transposed ? tn::t(tn::randn({columns, rows}, dtype)) : tn::randn({rows, columns}, dtype);
}

}  // namespace

// The letters tell which operand is transposed: nn, nt (a layer's weights) and tn (their gradient).
void bench::add_product_rows() {
  for (tn::DType dtype : {TN_F32, TN_BF16})
    for (const char* form : {"nn", "nt", "tn"})
      for (const Size& s : kSizes) {
        const std::string name = std::string("products/") + (dtype == TN_F32 ? "f32_" : "bf16_") +
                                 form + "_" + std::to_string(s.m) + "x" + std::to_string(s.n) +
                                 "x" + std::to_string(s.k);
        bench::row(name, [=] {
          return [a = matrix(s.m, s.k, form[0] == 't', dtype),
                  b = matrix(s.k, s.n, form[1] == 't', dtype)] { tn::mm(a, b); };
        });
      }
}
