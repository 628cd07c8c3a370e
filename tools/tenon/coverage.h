// coverage.h - who serves an operator on a device.
#pragma once
#include <string>
#include <vector>

#include <tenon/operator.h>

namespace command {

struct Service {
  const tn_op* op = nullptr;
  std::vector<std::string> providers;  // with kernels, the preferred one first
  bool decomposes = false;             // composed of other operators where there is no kernel
  bool infers = false;                 // shapes and dtypes are all that the device is asked for

  bool missing() const { return providers.empty() && !decomposes && !infers; }
};

// Throws Error for a device that no plugin provides.
std::vector<Service> services(const std::vector<const tn_op*>& ops, const std::string& device);

// The devices that can be used. Loads their plugins; one that cannot be loaded costs only its own
// device, and the core has logged the reason.
std::vector<std::string> all_devices();

}  // namespace command
