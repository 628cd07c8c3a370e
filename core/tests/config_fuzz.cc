// Any bytes as a tenon.toml: refused with a reason, or a configuration whose every value can be
// printed and set again.
#include <cstdlib>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/tests/fuzz_check.h"

using tenon::Config;
using tenon::ConfigType;
using tenon::Manifest;
using tenon::Problem;
using tenon::require;
using tenon::require_clear;
using tenon::TomlValue;

namespace {

// A plugin with a key of each type.
Manifest plugin() {
  Manifest manifest;
  manifest.name = "acme";
  for (const auto& [name, type, text] : {std::tuple{"flag", ConfigType::kBool, "true"},
                                         {"count", ConfigType::kInt, "3"},
                                         {"ratio", ConfigType::kFloat, "0.5"},
                                         {"mode", ConfigType::kString, "\"fast\""}}) {
    auto& key = manifest.config.emplace_back();
    key.name = std::string("plugin.acme.") + name;
    key.type = type;
    if (tenon::toml_parse_value(text, name, &key.default_value)) std::abort();
  }
  manifest.config.back().choices = {"fast", "exact"};
  return manifest;
}

void read_file(const char* path) {
  static const Manifest known = plugin();
  static const int named = setenv("TENON_CONFIG", path, 1);
  require(named == 0);
  Config config;
  if (const Problem problem = config.read()) return require_clear(problem);
  if (const Problem problem = config.adopt({&known}, {"broken"})) return require_clear(problem);
  for (const auto& [key, entry] : config.entries()) {
    TomlValue again;
    require(!tenon::toml_parse_value(entry.text, key, &again));
    require(tenon::toml_text(again) == entry.text);
    const Problem problem = config.set(key, entry.text);
    require(!problem || problem.code == TN_BUSY || key.starts_with("plugin.broken."));
  }
}

void set_value(const std::string& text) {
  constexpr const char* kKeys[] = {"threads", "fallback", "plugins.required", "plugin.acme.ratio"};
  Config config;
  if (const Problem problem = config.set(kKeys[text.size() % 4], text)) require_clear(problem);
}

}  // namespace

extern "C" void fuzz_file(const char* path, const uint8_t* data, size_t size) {
  read_file(path);
  set_value(std::string(reinterpret_cast<const char*>(data), size));
}
