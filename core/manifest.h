// A plugin's manifest, NAME.plugin.toml: what the core knows about a plugin before it runs any of
// its code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/config_key.h"
#include "core/problem.h"

namespace tenon {

struct Manifest {
  struct Library {
    std::string file;              // a plain file name in the manifest's folder
    std::vector<std::string> cpu;  // features it needs
  };
  struct Device {
    std::string name;
    int32_t dlpack = 0;  // DLPack's number; 0: it has none
    bool host = false;
  };
  struct Layer {
    std::string name;
    std::vector<std::string> before;  // layers that run after this one
    std::vector<std::string> after;   // layers that run before it
  };
  struct Environment {
    std::string name;
    std::string value;
  };
  struct Provides {
    std::string device;
    std::vector<std::string> operators;  // patterns
  };
  struct Interface {
    std::string name;
    int32_t version = 1;
  };

  std::string name;
  std::string version;
  std::string vendor;
  std::string path;       // of the manifest, absolute
  std::string directory;  // that holds it
  int32_t priority = 0;
  bool unloadable = false;
  std::vector<std::string> declares;  // patterns of operators that it declares
  std::vector<Library> libraries;     // the first that fits the machine is taken
  std::vector<Device> devices;
  std::vector<Layer> layers;
  std::vector<Environment> environment;  // defaults of variables that its libraries read at load
  std::vector<Provides> provides;
  std::vector<Interface> interfaces;
  std::vector<std::string> requires_plugins;
  std::vector<std::string> requires_libraries;
  std::vector<ConfigKey> config;  // named as in tenon.toml: "plugin.NAME.KEY"

  bool declares_operator(std::string_view op) const;
  bool provides_device(std::string_view device) const;
  bool provides_kernel(std::string_view op, std::string_view device) const;
};

// NAME of a file NAME.plugin.toml; "" for other files.
std::string manifest_stem(std::string_view file);

// Reads and checks `path`. On failure `out` has name, path and directory at least, so that it can
// be reported.
Problem manifest_read(const std::string& path, Manifest* out);

}  // namespace tenon
