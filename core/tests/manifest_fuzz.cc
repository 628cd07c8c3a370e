// Any bytes as a plugin's manifest: refused with a reason, or a plugin that everything before its
// loading can deal with.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "core/config.h"
#include "core/discovery.h"
#include "core/layers.h"
#include "core/log.h"
#include "core/tests/fuzz_check.h"

using tenon::Config;
using tenon::Manifest;
using tenon::Plugin;
using tenon::Problem;
using tenon::require;
using tenon::require_clear;

namespace {

// A manifest's name says its plugin's, so the file gets a second path.
class Link {
 public:
  explicit Link(const char* target) {
    char folder[] = "/tmp/tenon-fuzz-XXXXXX";
    require(mkdtemp(folder) != nullptr);
    folder_ = folder;
    require(symlink(target, path().c_str()) == 0);
  }
  ~Link() {
    unlink(path().c_str());
    rmdir(folder_.c_str());
  }
  std::string path() const { return folder_ + "/acme.plugin.toml"; }

 private:
  std::string folder_;
};

Plugin other_plugin() {
  Plugin other;
  other.manifest.name = "other";
  other.manifest.layers = {{"autograd", {"trace"}, {}}, {"autocast", {"autograd"}, {}}};
  return other;
}

}  // namespace

extern "C" void fuzz_file(const char* path, const uint8_t*, size_t) {
  static const Link link(path);
  static const std::string name = link.path();
  tenon::log_set_level(tenon::LogLevel::kSilent);
  Plugin plugin, other = other_plugin();
  Manifest& manifest = plugin.manifest;
  const Problem problem = tenon::manifest_read(name, &manifest);
  require(manifest.name == "acme" && manifest.path == name);
  if (problem) return require_clear(problem);

  for (const char* op : {"", "add.Tensor", "acme.swiglu", "acme.swiglu.out"}) {
    manifest.declares_operator(op);
    manifest.provides_kernel(op, "cpu");
  }
  tenon::discovery_choose_library(&plugin);
  require(plugin.usable() == !plugin.library.empty());
  tenon::layers_allot({&plugin, &other});
  if (plugin.usable())
    for (const auto& layer : manifest.layers) require(tenon::layers_bit(layer.name) != 0);
  Config config;
  if (const Problem refused = config.adopt({&manifest, &other.manifest}, {}))
    require_clear(refused);
  for (const auto& [key, entry] : config.entries()) require(!entry.text.empty());
}
