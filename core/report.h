// What tn_doctor reports, gathered once and then written as text or as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config.h"

namespace tenon {

struct Report {
  struct Device {
    std::string name;
    std::string plugin;
    bool host = false;
    bool loaded = false;             // else nothing but the manifest is known
    std::vector<std::string> units;  // as the vendor names them, by index
    std::string problem;             // why they could not be asked
  };
  struct Plugin {
    std::string name;
    std::string version;
    std::string vendor;
    std::string state;
    std::string reason;
    std::string manifest;
    std::string library;
    int32_t priority = 0;
    std::string devices, layers, interfaces;  // separated by ", "
  };
  struct Provider {
    std::string device;
    std::vector<std::string> order;
  };

  std::string version;
  std::string abi;
  std::string library;
  std::vector<std::string> cpu;  // features of the processor
  std::string problem;           // why tn_init failed; "" when it did not
  std::vector<std::string> files;
  std::vector<std::string> folders;
  std::vector<std::string> notes;
  Config::Entries config;
  std::vector<Device> devices;
  std::vector<Provider> providers;
  std::vector<Plugin> plugins;
};

// Looks at everything, without loading plugins. Libraries not loaded so far are checked, and
// plugins with broken ones are quarantined: that they cannot work is what people want to see.
Report report_gather();

std::string report_text(const Report& report);
std::string report_json(const Report& report);

}  // namespace tenon
