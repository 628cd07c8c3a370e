#include "core/layers.h"

#include <tenon/thread.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "core/awaited_layers.h"
#include "core/concat.h"
#include "core/guard.h"
#include "core/keep.h"
#include "core/loader.h"
#include "core/once.h"

namespace tenon {
namespace {

constexpr int kBits = 64;
constexpr int kTransformsBit = 63;
// The lowest bit is the core's own (restricted.h).
constexpr int kFirstBit = 1;
constexpr size_t kOrdinaryBits = kTransformsBit - kFirstBit;
constexpr std::string_view kTransforms = "transforms";

// Written by layers_allot alone, which runs inside tn_init before anybody can read.
struct Bits {
  std::map<std::string, uint64_t, std::less<>> by_name;
  std::array<const char*, kBits> names{};
};

constinit Once<Bits> once;

Bits& bits() {
  return once.get();
}

struct Node {
  Plugin* plugin;
  std::set<std::string> later;  // layers that run after this one
};

using Graph = std::map<std::string, Node>;

Problem too_many_layers() {
  return {TN_INVALID_ARGUMENT, "there are more layers than the 62 that fit"};
}

Graph make_graph(const std::vector<Plugin*>& plugins) {
  Graph graph;
  for (Plugin* plugin : plugins) {
    if (!plugin->usable()) continue;
    // So that what follows, which recurses and compares each with each, has few to look at.
    if (plugin->manifest.layers.size() > kOrdinaryBits + 1) {
      plugin->quarantine(too_many_layers());
      continue;
    }
    for (const Manifest::Layer& layer : plugin->manifest.layers) {
      const auto [node, is_new] = graph.emplace(layer.name, Node{plugin, {}});
      if (is_new) continue;
      plugin->quarantine(
          {TN_ALREADY_EXISTS,
           concat({"its layer ", layer.name, " is declared by plugin ", node->second.plugin->name(),
                   " already; list one of them in plugins.disable"})});
      std::erase_if(graph, [&](const auto& entry) { return entry.second.plugin == plugin; });
      break;
    }
  }
  // Constraints on layers that are not installed hold by themselves.
  for (const auto& [name, node] : graph) {
    for (const Manifest::Layer& layer : node.plugin->manifest.layers) {
      for (const std::string& other : layer.before) {
        if (graph.contains(other)) graph.at(layer.name).later.insert(other);
      }
      for (const std::string& other : layer.after) {
        if (graph.contains(other)) graph.at(other).later.insert(layer.name);
      }
    }
  }
  // The reserved bit is the highest: everything runs after it.
  if (const auto transforms = graph.find(std::string(kTransforms)); transforms != graph.end()) {
    for (const auto& [name, node] : graph) {
      if (name != kTransforms) transforms->second.later.insert(name);
    }
  }
  return graph;
}

// Depth-first search. Appends the layers in the order in which they finish: those that run last
// come first. A layer met on its own way closes a cycle, which is cut out of `way`.
class Sorter {
 public:
  explicit Sorter(const Graph& graph) : graph_(graph) {}

  // False when there is a cycle.
  bool sort() {
    for (const auto& [name, node] : graph_) {
      if (!visit(name)) return false;
    }
    return true;
  }

  const std::vector<std::string>& last_first() const { return done_; }
  const std::vector<std::string>& cycle() const { return way_; }

 private:
  bool visit(const std::string& name) {
    if (finished_.contains(name)) return true;
    const auto met = std::find(way_.begin(), way_.end(), name);
    if (met != way_.end()) {
      way_.erase(way_.begin(), met);
      return false;
    }
    way_.push_back(name);
    for (const std::string& next : graph_.at(name).later) {
      if (!visit(next)) return false;
    }
    way_.pop_back();
    finished_.insert(name);
    done_.push_back(name);
    return true;
  }

  const Graph& graph_;
  std::vector<std::string> way_;
  std::set<std::string> finished_;
  std::vector<std::string> done_;
};

void quarantine_cycle(const Graph& graph, const std::vector<std::string>& cycle) {
  std::string text = "its layers cannot be ordered: ";
  std::set<Plugin*> plugins;
  for (const std::string& name : cycle) {
    Plugin* plugin = graph.at(name).plugin;
    append(&text, {name, " (plugin ", plugin->name(), ") must run before "});
    plugins.insert(plugin);
  }
  text += cycle.front() + "; change `before` or `after` in a manifest, or disable a plugin";
  for (Plugin* plugin : plugins) plugin->quarantine({TN_INVALID_ARGUMENT, text});
}

void assign(const std::string& name, int bit) {
  bits().by_name[name] = uint64_t{1} << bit;
  bits().names[static_cast<size_t>(bit)] = keep(name);
}

}  // namespace

void layers_allot(const std::vector<Plugin*>& plugins) {
  bits() = {};  // of an attempt that failed
  for (;;) {
    const Graph graph = make_graph(plugins);
    Sorter sorter(graph);
    if (!sorter.sort()) {
      quarantine_cycle(graph, sorter.cycle());
      continue;
    }
    std::vector<std::string> names = sorter.last_first();
    if (const auto transforms = std::find(names.begin(), names.end(), kTransforms);
        transforms != names.end()) {
      assign(*transforms, kTransformsBit);
      names.erase(transforms);
    }
    if (names.size() > kOrdinaryBits) {
      graph.at(names.back()).plugin->quarantine(too_many_layers());
      continue;
    }
    for (size_t i = 0; i < names.size(); ++i) {
      // Spread evenly, so that there is room on both sides of each.
      assign(names[i],
             kFirstBit + static_cast<int>((2 * i + 1) * kOrdinaryBits / (2 * names.size())));
    }
    uint64_t allotted = 0;
    for (const auto& [name, bit] : bits().by_name) allotted |= bit;
    awaited_layers_start(allotted);
    return;
  }
}

uint64_t layers_bit(std::string_view name) {
  const auto found = bits().by_name.find(name);
  return found == bits().by_name.end() ? 0 : found->second;
}

uint64_t layers_bits(const Plugin& plugin) {
  uint64_t all = 0;
  for (const Manifest::Layer& layer : plugin.manifest.layers) all |= layers_bit(layer.name);
  return all;
}

const char* layers_name(uint64_t bit) {
  if (bit == 0 || (bit & (bit - 1)) != 0) return "";
  const char* name = bits().names[static_cast<size_t>(__builtin_ctzll(bit))];
  return name == nullptr ? "" : name;
}

}  // namespace tenon

uint64_t tn_layer_bit(const char* name) {
  uint64_t bit = 0;
  tn_status_release(tenon::guard([&]() -> tn_status {
    if (tn_status status = tenon::ensure_init()) return status;
    bit = name == nullptr ? 0 : tenon::layers_bit(name);
    return nullptr;
  }));
  return bit;
}

const char* tn_layer_name(uint64_t bit) {
  const char* name = "";
  tn_status_release(tenon::guard([&]() -> tn_status {
    if (tn_status status = tenon::ensure_init()) return status;
    name = tenon::layers_name(bit);
    return nullptr;
  }));
  return name;
}
