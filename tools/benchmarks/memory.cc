// Moves of data without arithmetic.
#include "tenon_rows.h"

void bench::add_memory_rows() {
  row("memory/transpose", [] {
    return [a = tn::t(tn::randn({4096, 4096}))] { tn::contiguous(a); };
  });
  row("memory/embedding", [] {
    return [table = tn::randn({50000, 256}), indices = tn::randint(50000, {16384})] {
      tn::embedding(table, indices);
    };
  });
}
