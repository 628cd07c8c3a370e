// Attention of 4 sequences of 512, 8 heads of 64.
#include "tenon_rows.h"

namespace {

void attention(const char* name, bool is_causal) {
  bench::row(name, [=] {
    const auto heads = [] { return tn::randn({4, 8, 512, 64}); };
    return [query = heads(), key = heads(), value = heads(), is_causal] {
      tn::scaled_dot_product_attention(query, key, value, {}, 0, is_causal);
    };
  });
}

}  // namespace

void bench::add_attention_rows() {
  attention("attention/full", false);
  attention("attention/causal", true);
}
