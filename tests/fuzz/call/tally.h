// How often calls of each operator gave a value: one whose calls are all refused is not tested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fuzz {

class Tally {
 public:
  // A call of the operator at that place in the registry.
  void count(size_t op, bool gave_value);
  // The share of all calls that gave a value, and the operators that never did.
  void print() const;

 private:
  struct Calls {
    uint64_t all = 0;
    uint64_t with_value = 0;
  };
  std::vector<Calls> calls_;  // one for each operator
};

}  // namespace fuzz
