// tn_doctor: the report as text for people and as JSON for programs.
#include <tenon/explain.h>

#include <algorithm>
#include <cstring>

#include "core/concat.h"
#include "core/error.h"
#include "core/guard.h"
#include "core/json.h"
#include "core/report.h"

namespace tenon {
namespace {

constexpr size_t kColumns = 96;

// Appends `text` at the given indent, broken at spaces. The first line goes on where the output
// stands.
void append_wrapped(std::string_view text, size_t indent, std::string* out) {
  size_t column = out->size() - (out->rfind('\n') + 1);
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (column > indent && column + end > kColumns) {
      out->append("\n").append(indent, ' ');
      column = indent;
    }
    out->append(text.substr(0, end));
    column += end;
    if (end == text.size()) break;
    if (text[end] == '\n') {
      out->append("\n").append(indent, ' ');
      column = indent;
    } else {
      out->push_back(' ');
      ++column;
    }
    text.remove_prefix(end + 1);
  }
  out->push_back('\n');
}

// "  label      text"
void append_row(std::string_view label, std::string_view text, size_t width, std::string* out) {
  if (text.empty()) return;
  out->append("  ").append(label);
  out->append(label.size() < width ? width - label.size() : 1, ' ');
  append_wrapped(text, width + 2, out);
}

std::string joined(const std::vector<std::string>& items, std::string_view separator) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text += separator;
    text += item;
  }
  return text;
}

std::string or_else(std::string text, const char* instead) {
  return text.empty() ? instead : std::move(text);
}

std::string describe(const Report::Device& device) {
  std::string text = "plugin " + device.plugin;
  if (device.host) text += ", the host";
  if (!device.loaded) {
    text += ", not loaded so far";
  } else if (!device.problem.empty()) {
    append(&text, {"\n", device.problem});
  } else if (device.units.empty()) {
    text += ", none present";
  } else {
    for (size_t i = 0; i < device.units.size(); ++i)
      append(&text, {"\n", std::to_string(i), ": ", device.units[i]});
  }
  return text;
}

void append_plugin(const Report::Plugin& plugin, std::string* out) {
  constexpr size_t kWidth = 12;
  std::string head = plugin.name;
  if (!plugin.version.empty()) append(&head, {" ", plugin.version});
  if (!plugin.vendor.empty()) append(&head, {" (", plugin.vendor, ")"});
  append(out, {"\n", head, ": ", plugin.state, "\n"});
  append_row("why", plugin.reason, kWidth, out);
  append_row("manifest", plugin.manifest, kWidth, out);
  append_row("library", plugin.library, kWidth, out);
  append_row("devices", plugin.devices, kWidth, out);
  append_row("layers", plugin.layers, kWidth, out);
  append_row("interfaces", plugin.interfaces, kWidth, out);
  append_row("priority", std::to_string(plugin.priority), kWidth, out);
}

}  // namespace

std::string report_text(const Report& report) {
  constexpr size_t kWidth = 12;
  std::string out;
  append(&out, {"Tenon ", report.version, ", ABI ", report.abi, "\n"});
  append_row("library", report.library, kWidth, &out);
  append_row("processor", joined(report.cpu, " "), kWidth, &out);
  append_row("config", or_else(joined(report.files, "\n"), "no files"), kWidth, &out);
  append_row("plugins in", joined(report.folders, "\n"), kWidth, &out);
  append_row("problem", report.problem, kWidth, &out);
  append_row("note", joined(report.notes, "\n"), kWidth, &out);

  out += "\nDevices\n";
  if (report.devices.empty()) out += "  none; no plugin found provides one\n";
  for (const Report::Device& device : report.devices) {
    append_row(device.name, describe(device), kWidth, &out);
  }
  if (!report.providers.empty()) out += "\nProviders of kernels, the preferred one first\n";
  for (const Report::Provider& provider : report.providers) {
    append_row(provider.device, joined(provider.order, ", "), kWidth, &out);
  }

  out += "\nConfiguration\n";
  size_t width = 0;
  for (const auto& [key, entry] : report.config) width = std::max(width, key.size());
  for (const auto& [key, entry] : report.config) {
    append_row(key, concat({entry.text, "  from ", entry.origin}), width + 2, &out);
  }

  append(&out, {"\nPlugins, ", std::to_string(report.plugins.size()), "\n"});
  for (const Report::Plugin& plugin : report.plugins) append_plugin(plugin, &out);
  return out;
}

std::string report_json(const Report& report) {
  JsonWriter json;
  const auto list = [&](std::string_view key, const std::vector<std::string>& items) {
    json.open_array(key);
    for (const std::string& item : items) json.item(item);
    json.close_array();
  };
  json.open_object();
  json.member("version", report.version);
  json.member("abi", report.abi);
  json.member("library", report.library);
  json.member("problem", report.problem);
  list("processor", report.cpu);
  list("config_files", report.files);
  list("plugin_folders", report.folders);
  list("notes", report.notes);
  json.open_array("config");
  for (const auto& [key, entry] : report.config) {
    json.open_object();
    json.member("key", key);
    json.member("value", entry.text);
    json.member("origin", entry.origin);
    json.close_object();
  }
  json.close_array();
  json.open_array("devices");
  for (const Report::Device& device : report.devices) {
    json.open_object();
    json.member("name", device.name);
    json.member("plugin", device.plugin);
    json.member("host", device.host);
    json.member("loaded", device.loaded);
    list("units", device.units);
    json.member("problem", device.problem);
    json.close_object();
  }
  json.close_array();
  json.open_array("providers");
  for (const Report::Provider& provider : report.providers) {
    json.open_object();
    json.member("device", provider.device);
    list("order", provider.order);
    json.close_object();
  }
  json.close_array();
  json.open_array("plugins");
  for (const Report::Plugin& plugin : report.plugins) {
    json.open_object();
    json.member("name", plugin.name);
    json.member("version", plugin.version);
    json.member("vendor", plugin.vendor);
    json.member("state", plugin.state);
    json.member("reason", plugin.reason);
    json.member("manifest", plugin.manifest);
    json.member("library", plugin.library);
    json.member("priority", int64_t{plugin.priority});
    json.member("devices", plugin.devices);
    json.member("layers", plugin.layers);
    json.member("interfaces", plugin.interfaces);
    json.close_object();
  }
  json.close_array();
  json.close_object();
  return json.text();
}

}  // namespace tenon

tn_status tn_doctor(int32_t json, tn_value* out) {
  return tenon::guard([&]() -> tn_status {
    if (out == nullptr) return TN_ERROR(TN_INVALID_ARGUMENT, "tn_doctor: out may not be null");
    const tenon::Report report = tenon::report_gather();
    const std::string text = json != 0 ? tenon::report_json(report) : tenon::report_text(report);
    auto* copy = static_cast<char*>(tn_value_alloc(text.size() + 1));
    if (copy == nullptr) return tn_status_out_of_memory();
    std::memcpy(copy, text.c_str(), text.size() + 1);
    *out = {};
    out->tag = TN_TAG_STRING;
    out->len = static_cast<uint32_t>(text.size());
    out->u.str = copy;
    return nullptr;
  });
}
