#include "ledger.h"

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

#include "injector.h"

namespace faults {
namespace {

int entries(const char* folder) {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

tn_memory_stats host_memory() {
  tn_memory_stats stats = TN_INIT(tn_memory_stats);
  tn_device host;
  tn::check(tn::api->device_host(&host));
  tn::check(tn::api->memory_get_stats(host.type, &stats));
  return stats;
}

Ledger Ledger::now() {
  const tn_memory_stats stats = host_memory();
  return {.tensors = tn::api->tensor_live_count(),
          .data_bytes = stats.live_bytes,
          .data_blocks = stats.live_blocks,
          .heap_blocks = fault_heap_blocks(),
          .descriptors = entries("/proc/self/fd"),
          .threads = entries("/proc/self/task")};
}

Ledger Ledger::after(const Ledger& before) {
  Ledger found = now();
  for (int waited = 0; found.threads > before.threads && waited < 1000; ++waited) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    found = now();
  }
  return found;
}

bool Ledger::same_as(const Ledger& before) const {
  return tensors == before.tensors && data_bytes == before.data_bytes &&
         data_blocks == before.data_blocks && heap_blocks <= before.heap_blocks &&
         descriptors == before.descriptors && threads <= before.threads;
}

std::ostream& operator<<(std::ostream& out, const Ledger& l) {
  return out << l.tensors << " tensors, " << l.data_bytes << " bytes of data in " << l.data_blocks
             << " blocks, " << l.heap_blocks << " blocks of the heap, " << l.descriptors
             << " file descriptors, " << l.threads << " threads";
}

}  // namespace faults
