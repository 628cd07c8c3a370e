#include "tally.h"

#include <cstdio>

#include <tenon/sdk/api.h>

namespace fuzz {

void Tally::count(size_t op, bool gave_value) {
  if (op >= calls_.size()) calls_.resize(tn::api->op_count());
  ++calls_[op].all;
  calls_[op].with_value += gave_value;
}

void Tally::print() const {
  Calls sum;
  uint64_t silent = 0;
  for (const Calls& calls : calls_) {
    sum.all += calls.all;
    sum.with_value += calls.with_value;
    silent += calls.with_value == 0;
  }
  if (sum.all == 0) return;
  std::fprintf(stderr, "call: %llu %% of the calls gave a value, and %llu of %zu operators none\n",
               static_cast<unsigned long long>(sum.with_value * 100 / sum.all),
               static_cast<unsigned long long>(silent), calls_.size());
  for (size_t op = 0; op < calls_.size(); ++op) {
    if (calls_[op].with_value == 0)
      std::fprintf(stderr, "no value in %llu calls of %s\n",
                   static_cast<unsigned long long>(calls_[op].all),
                   tn::api->op_schema(tn::api->op_at(op))->text);
  }
}

}  // namespace fuzz
