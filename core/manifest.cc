#include "core/manifest.h"

#include <tenon/base.h>

#include <algorithm>
#include <filesystem>

#include "core/concat.h"
#include "core/glob.h"
#include "core/toml_reader.h"

namespace tenon {
namespace {

constexpr std::string_view kEnding = ".plugin.toml";

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

void read_plugin(TomlReader& reader, Manifest* out) {
  std::string name, abi;
  reader.require("name", &name);
  reader.require("version", &out->version);
  reader.require("abi", &abi);
  reader.get("vendor", &out->vendor);
  reader.get("priority", &out->priority);
  reader.get("unloadable", &out->unloadable);
  reader.get("declares", &out->declares);
  if (!is_name(name)) {
    reader.fail("plugin.name must be made of a-z, 0-9, _ and -, not \"" + name + "\"");
  } else if (name != out->name) {
    reader.fail(
        concat({"plugin.name is \"", name, "\", so the file must be called ", name, kEnding}));
  }
  const std::string core = std::to_string(TN_ABI_MAJOR) + "." + std::to_string(TN_ABI_MINOR);
  // While the major is 0, a minor may break: nothing but equality will do.
  if (!abi.empty() && abi != core) {
    reader.fail(concat({"built for ABI ", abi, ", but this core has ABI ", core,
                        "; install a release of the plugin that was built for ABI ", core}));
  }
}

void read_library(TomlReader& reader, Manifest* out) {
  Manifest::Library& library = out->libraries.emplace_back();
  reader.require("file", &library.file);
  reader.get("cpu", &library.cpu);
  if (library.file.find('/') != std::string::npos) {
    reader.fail(
        "library.file must be the name of a file beside the manifest, without folders, "
        "not \"" +
        library.file + "\"");
  }
}

void read_device(TomlReader& reader, Manifest* out) {
  Manifest::Device& device = out->devices.emplace_back();
  reader.require("name", &device.name);
  reader.get("dlpack", &device.dlpack);
  reader.get("host", &device.host);
  if (!is_name(device.name)) {
    reader.fail("device.name must be made of a-z, 0-9, _ and -, not \"" + device.name + "\"");
  }
  if (device.dlpack < 0 || device.dlpack >= TN_DEVICE_TYPE_FIRST) {
    reader.fail("device.dlpack must be DLPack's number of the device type, 1 to " +
                std::to_string(TN_DEVICE_TYPE_FIRST - 1));
  }
}

void read_layer(TomlReader& reader, Manifest* out) {
  Manifest::Layer& layer = out->layers.emplace_back();
  reader.require("name", &layer.name);
  reader.get("before", &layer.before);
  reader.get("after", &layer.after);
}

void read_environment(TomlReader& reader, Manifest* out) {
  Manifest::Environment& variable = out->environment.emplace_back();
  reader.require("name", &variable.name);
  reader.require("value", &variable.value);
  const bool plain = std::all_of(variable.name.begin(), variable.name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!plain || variable.name.empty()) {
    reader.fail("environment.name must be made of A-Z, 0-9 and _, not \"" + variable.name + "\"");
  }
}

void read_provides(TomlReader& reader, Manifest* out) {
  Manifest::Provides& provides = out->provides.emplace_back();
  reader.require("device", &provides.device);
  reader.get("operators", &provides.operators);
  if (provides.operators.empty()) {
    reader.fail("provides.operators is missing; write [\"*\"] for all");
  }
}

void read_interface(TomlReader& reader, Manifest* out) {
  Manifest::Interface& interface = out->interfaces.emplace_back();
  reader.require("name", &interface.name);
  reader.get("version", &interface.version);
  if (interface.version < 1) reader.fail("interface.version must be 1 or more");
}

void read_config(const std::string& name, TomlReader& reader, Manifest* out) {
  ConfigKey& key = out->config.emplace_back();
  key.name = concat({"plugin.", out->name, ".", name});
  std::string type;
  reader.require("type", &type);
  reader.get("default", &key.default_value);
  reader.require("help", &key.help);
  reader.get("choices", &key.choices);
  // tn_value has no list of strings, and these values are handed out as tn_value.
  if (!config_type_parse(type, &key.type) || key.type == ConfigType::kStrings) {
    reader.fail(
        concat({"config.", name, ".type must be \"bool\", \"int\", \"float\" or \"string\", not \"",
                type, "\""}));
    return;
  }
  if (key.default_value.kind == TomlValue::Kind::kTable) {
    reader.fail("config." + name + ".default is missing");
  } else if (Problem problem = config_check(key, "default", &key.default_value)) {
    reader.fail(problem.text);
  }
}

}  // namespace

std::string manifest_stem(std::string_view file) {
  if (file.size() <= kEnding.size() || !file.ends_with(kEnding)) return "";
  return std::string(file.substr(0, file.size() - kEnding.size()));
}

Problem manifest_read(const std::string& path, Manifest* out) {
  const std::filesystem::path file(path);
  out->path = path;
  out->directory = file.parent_path().string();
  out->name = manifest_stem(file.filename().string());
  TomlValue document;
  if (Problem problem = toml_read(path, &document)) return problem;
  return TomlReader::read(document, path, [&](TomlReader& reader) {
    bool described = false;
    reader.table("plugin", [&](TomlReader& part) {
      described = true;
      read_plugin(part, out);
    });
    reader.tables("library", [&](TomlReader& part) { read_library(part, out); });
    reader.tables("device", [&](TomlReader& part) { read_device(part, out); });
    reader.tables("layer", [&](TomlReader& part) { read_layer(part, out); });
    reader.tables("environment", [&](TomlReader& part) { read_environment(part, out); });
    reader.tables("provides", [&](TomlReader& part) { read_provides(part, out); });
    reader.tables("interface", [&](TomlReader& part) { read_interface(part, out); });
    reader.table("requires", [&](TomlReader& part) {
      part.get("plugins", &out->requires_plugins);
      part.get("libraries", &out->requires_libraries);
    });
    reader.members(
        "config", [&](const std::string& name, TomlReader& part) { read_config(name, part, out); });
    if (!described) reader.fail("the section [plugin] is missing");
    if (out->libraries.empty()) reader.fail("there is no [[library]]; one at least is needed");
  });
}

bool Manifest::declares_operator(std::string_view op) const {
  // "*" means the operators without a namespace, so a star does not reach over a dot.
  return std::any_of(declares.begin(), declares.end(), [&](const std::string& pattern) {
    return glob_match(pattern, op, GlobDots::kStop);
  });
}

bool Manifest::provides_device(std::string_view device) const {
  return std::any_of(provides.begin(), provides.end(),
                     [&](const Provides& part) { return part.device == device; });
}

bool Manifest::provides_kernel(std::string_view op, std::string_view device) const {
  const std::string_view without_overload = op.substr(0, op.rfind('.'));
  for (const Provides& part : provides) {
    if (part.device != device) continue;
    for (const std::string& pattern : part.operators) {
      if (glob_match(pattern, op) || glob_match(pattern, without_overload)) return true;
    }
  }
  return false;
}

}  // namespace tenon
