// Which place in a list each node has: a hash table of addresses, open addressing, no deletion.
#pragma once

#include <vector>

#include "node.h"

namespace tn::graph {

class NodeIndex {
 public:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  // The node's place; stores `otherwise` and answers kAbsent where it has none yet.
  uint32_t find_or_add(const Node* node, uint32_t otherwise) {
    if (2 * (count_ + 1) > table_.size()) grow();
    Entry& entry = probe(node);
    if (entry.node) return entry.place;
    entry = {node, otherwise};
    ++count_;
    return kAbsent;
  }

 private:
  struct Entry {
    const Node* node;
    uint32_t place;
  };

  Entry& probe(const Node* node) {
    const size_t mask = table_.size() - 1;
    size_t i = reinterpret_cast<uintptr_t>(node) >> 4;
    for (i = (i ^ i >> 9) & mask; table_[i].node && table_[i].node != node;) i = (i + 1) & mask;
    return table_[i];
  }
  void grow() {
    std::vector<Entry> old(table_.empty() ? 64 : 2 * table_.size(), Entry{nullptr, 0});
    old.swap(table_);
    for (const Entry& entry : old)
      if (entry.node) probe(entry.node) = entry;
  }

  std::vector<Entry> table_;
  size_t count_ = 0;
};

}  // namespace tn::graph
