// Applies what an entry staged, all or nothing, and takes it back when the plugin goes.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/autograd.h>
#include <tenon/thread.h>

#include "core/awaited_layers.h"
#include "core/device.h"
#include "core/error.h"
#include "core/guard.h"
#include "core/keep.h"
#include "core/locks.h"
#include "core/registration_staged.h"
#include "core/registry_state.h"
#include "core/schema.h"

namespace tenon {
namespace {

// The operator that something is for: registered, or staged beside it.
tn_status target(Registration& reg, const std::string& name, const char* what, Operator** out) {
  Registry& r = registry();
  if (auto it = r.by_full_name.find(name); it != r.by_full_name.end())
    return *out = it->second, nullptr;
  if ((*out = reg.find_operator(name))) return nullptr;
  return TN_ERROR(TN_NOT_FOUND,
                  "plugin %s registers %s for operator %s, which nobody declares; name the plugin "
                  "that does in the "
                  "manifest's [requires]",
                  reg.plugin.c_str(), what, name.c_str());
}

// Within an ABI major a schema only gains trailing arguments with defaults, so a kernel built with
// an older one knows the first so many of today's arguments.
tn_status match_schema(Registration& reg, Registration::StagedKernel& k, const Operator& op) {
  if (k.schema_hash == 0) return nullptr;
  for (uint32_t n = op.nargs + 1; n-- > 0;)
    if (schema_hash(*op.schema, n) == k.schema_hash) {
      k.kernel->nargs = n;
      return nullptr;
    }
  return TN_ERROR(
      TN_INCOMPATIBLE,
      "plugin %s registers a kernel for another schema of %s than \"%s\" or an older form "
      "of it; rebuild the plugin",
      reg.plugin.c_str(), op.name(), op.schema->text);
}

// Everything that could be refused. Lock::kRegistry is held.
tn_status validate(Registration& reg) {
  Registry& r = registry();
  Operator* op = nullptr;
  for (auto& o : reg.operators)
    if (auto it = r.by_full_name.find(o->name());
        it != r.by_full_name.end() && !it->second->retired)
      return TN_ERROR(TN_ALREADY_EXISTS,
                      "plugin %s declares operator %s, which plugin %s has declared",
                      reg.plugin.c_str(), o->name(), it->second->plugin.c_str());
  for (auto& k : reg.kernels) {
    if (tn_status s = target(reg, k.op, "a kernel", &op)) return s;
    if (tn_status s = match_schema(reg, k, *op)) return s;
    for (auto& other : op->kernels)
      if (k.layer.empty() && other->device == k.kernel->device &&
          other->provider == k.kernel->provider)
        return TN_ERROR(
            TN_ALREADY_EXISTS,
            "plugin %s registers a kernel for %s on %s, where plugin %s has one as the same "
            "provider %s",
            reg.plugin.c_str(), op->name(), other->device.c_str(), other->plugin.c_str(),
            other->provider.c_str());
  }
  for (auto& a : reg.attributes) {
    if (tn_status s = target(reg, a.op, "an attribute", &op)) return s;
    if (const auto* all = op->attributes.load())
      for (const Attribute& other : *all)
        if (other.name == a.name && other.device == a.device && other.version == a.version)
          return TN_ERROR(TN_ALREADY_EXISTS,
                          "plugin %s gives operator %s the attribute %s, which plugin %s has given",
                          reg.plugin.c_str(), op->name(), a.name.c_str(), other.plugin.c_str());
  }
  for (auto& f : reg.fallbacks) {
    const char* other =
        r.fallbacks[63 - __builtin_clzll(tn_layer_bit(f.layer.c_str()))].load()->plugin;
    if (other)
      return TN_ERROR(TN_ALREADY_EXISTS,
                      "plugin %s registers a fallback for layer %s, which plugin %s has registered",
                      reg.plugin.c_str(), f.layer.c_str(), other);
  }
  for (auto& [role, name] : reg.roles) {
    if (tn_status s = target(reg, name, "a role", &op)) return s;
    if (r.roles[role].load())
      return TN_ERROR(TN_ALREADY_EXISTS,
                      "plugin %s binds a role to %s that plugin %s has bound to %s",
                      reg.plugin.c_str(), name.c_str(), r.role_plugins[role].c_str(),
                      r.roles[role].load()->entry->name());
  }
  return nullptr;
}

// With a derivative of its own an operator is recorded as one node.
void find_transparent(Operator& op) {
  const std::vector<Attribute>* all = op.attributes.load();
  const bool derivative = all && std::any_of(all->begin(), all->end(), [](const Attribute& a) {
                            return a.name == TN_DERIVATIVE_ATTRIBUTE && a.device.empty();
                          });
  op.transparent = op.desc.decomposition && !derivative;
}

// Takes back what was applied when lack of memory ends it half-way. Needs no memory itself.
// Lock::kRegistry is held all the while, so nobody has found the operators and kernels.
class Undo {
 public:
  explicit Undo(const Registration& reg)
      : plugin_(reg.plugin), first_(registry().operators.size()) {
    before_.reserve(reg.attributes.size() + reg.kernels.size());
    std::copy(std::begin(registry().fallbacks), std::end(registry().fallbacks), fallbacks_);
  }
  ~Undo() {
    if (kept_) return;
    Registry& r = registry();
    for (auto last = before_.rbegin(); last != before_.rend(); ++last) {
      Operator& op = *last->op;
      const auto* attributes = op.attributes.exchange(last->attributes);
      const auto* kernels = op.layer_kernels.exchange(last->layer_kernels);
      op.layers = last->layers;
      // Of others' operators they are never freed: a call may be reading them.
      if (op.plugin != plugin_) continue;
      if (attributes != last->attributes) delete attributes;
      if (kernels != last->layer_kernels) delete[] kernels;
    }
    while (r.operators.size() > first_) remove_last_operator();
    for (Operator* op : r.operators) {
      std::erase_if(op->kernels, [&](const auto& k) { return k->plugin == plugin_; });
      find_transparent(*op);
    }
    fallback_layer_bits = fallback_bits_;
    std::copy(std::begin(fallbacks_), std::end(fallbacks_), r.fallbacks);
    for (int role = 0; role < kRoles; ++role)
      if (r.role_plugins[role] == plugin_) {
        r.roles[role].store(nullptr);
        r.role_plugins[role].clear();
      }
  }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;

  // Before an attribute or a layer's kernel goes to `op`.
  void remember(Operator& op) {
    before_.push_back({&op, op.attributes.load(), op.layer_kernels.load(), op.layers.load()});
  }
  void keep() { kept_ = true; }

 private:
  struct Before {
    Operator* op;
    const std::vector<Attribute>* attributes;
    const LayerKernel* layer_kernels;
    uint64_t layers;
  };

  static void remove_last_operator() {
    Registry& r = registry();
    const std::unique_ptr<Operator> op(r.operators.back());
    r.operators.pop_back();
    r.by_full_name.erase(op->name());
    // The name that finds them lies in the first one's schema, and that one goes last.
    if (auto named = r.by_name.find(op->schema->name); named != r.by_name.end()) {
      std::erase(named->second, op.get());
      if (named->second.empty()) r.by_name.erase(named);
    }
    tn_schema_free(op->schema);
  }

  const std::string& plugin_;
  const size_t first_;  // of its operators
  std::vector<Before> before_;
  const LayerKernel* fallbacks_[64];
  const uint64_t fallback_bits_ = fallback_layers();
  bool kept_ = false;
};

void apply_operator(std::unique_ptr<Operator>& staged) {
  Registry& r = registry();
  find_transparent(*staged);
  r.operators.push_back(staged.get());
  Operator* op = staged.release();  // lives as long as the process: handles point to it
  r.by_full_name[op->name()] = op;
  r.by_name[op->schema->name].push_back(op);
}

void apply_kernel(Registration::StagedKernel& k, Undo& undo) {
  Operator& op = *registry().by_full_name.find(k.op)->second;
  if (k.layer.empty()) {
    op.kernels.push_back(std::move(k.kernel));
    forget_cells(op);
    return;
  }
  const uint64_t bit = tn_layer_bit(k.layer.c_str());
  const char* plugin = keep(k.kernel->plugin);
  const LayerKernel* old = op.layer_kernels.load();
  if (old) registry().replaced.push_back(old);
  auto* kernels = new LayerKernel[64];  // replaced as a whole: a call may be reading the old ones
  if (old) std::copy(old, old + 64, kernels);
  kernels[63 - __builtin_clzll(bit)] = {k.kernel->fn, k.kernel->state, plugin};
  undo.remember(op);
  op.layer_kernels.store(kernels, std::memory_order_release);
  op.layers.fetch_or(bit, std::memory_order_release);
}

void apply_attribute(Attribute&& a, Undo& undo) {
  Operator& op = *registry().by_full_name.find(a.op)->second;
  const std::vector<Attribute>* old = op.attributes.load();
  auto all = old ? std::make_unique<std::vector<Attribute>>(*old)
                 : std::make_unique<std::vector<Attribute>>();
  all->push_back(std::move(a));
  if (old) registry().replaced.push_back(old);
  undo.remember(op);
  op.attributes.store(all.release(), std::memory_order_release);
  find_transparent(op);
}

// Applies what validate has passed. Lock::kRegistry is held.
void apply(Registration& reg) {
  Registry& r = registry();
  Undo undo(reg);
  for (auto& op : reg.operators) apply_operator(op);
  reg.operators.clear();
  for (auto& k : reg.kernels) apply_kernel(k, undo);
  for (auto& a : reg.attributes) apply_attribute(std::move(a), undo);
  for (auto& f : reg.fallbacks) {
    const int bit = 63 - __builtin_clzll(tn_layer_bit(f.layer.c_str()));
    r.fallbacks[bit].store(new LayerKernel(f.kernel), std::memory_order_release);
    fallback_layer_bits.fetch_or(uint64_t{1} << bit, std::memory_order_release);
  }
  for (auto& [role, name] : reg.roles) {
    Operator& op = *r.by_full_name.find(name)->second;
    r.role_plugins[role] = reg.plugin;
    r.roles[role].store(&op.forms[op.desc.flags & TN_OP_INPLACE_ONLY ? TN_INPLACE : TN_FUNCTIONAL],
                        std::memory_order_release);
  }
  locks_add_fork_handlers(reg.fork_handlers);
  undo.keep();
}

// A registration's devices, which go again unless they are kept.
class Installed {
 public:
  explicit Installed(const Registration& reg) : reg_(reg) {}
  ~Installed() {
    for (size_t i = 0; i < count_; ++i) device_remove(reg_.devices[i]);
  }
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;

  tn_status install() {
    for (; count_ < reg_.devices.size(); ++count_)
      if (tn_status s = device_install(reg_.devices[count_], reg_.plugin.c_str())) return s;
    return nullptr;
  }
  void keep() { count_ = 0; }

 private:
  const Registration& reg_;
  size_t count_ = 0;
};

}  // namespace

Registration* registration_begin(const char* plugin_name) {
  try {
    auto reg = std::make_unique<Registration>();
    reg->plugin = plugin_name;
    return reg.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

tn_status registration_commit(Registration* registration) {
  return guard([&]() -> tn_status {
    std::unique_ptr<Registration> reg(registration);
    Installed devices(*reg);
    if (tn_status s = devices.install()) return s;
    const Locked lock(Lock::kRegistry);
    if (tn_status s = validate(*reg)) return s;
    apply(*reg);
    devices.keep();
    return nullptr;
  });
}

void registration_abort(Registration* registration) {
  delete registration;
}

void registration_retire(const char* plugin_name) {
  const Locked lock(Lock::kRegistry);
  Registry& r = registry();
  const std::string_view plugin = plugin_name;
  for (Operator* op : r.operators) {
    if (op->plugin == plugin) op->retired = true;
    for (auto& k : op->kernels)
      if (k->plugin == plugin) r.retired_kernels.push_back(std::move(k));
    std::erase(op->kernels, nullptr);
    forget_cells(*op);
    forget_layer_kernels(*op, plugin);
    if (const auto* old = op->attributes.load()) {
      r.replaced.push_back(old);
      auto* kept = new std::vector<Attribute>(*old);
      std::erase_if(*kept, [&](const Attribute& a) { return a.plugin == plugin; });
      op->attributes.store(kept, std::memory_order_release);
      find_transparent(*op);
    }
  }
  for (int bit = 0; bit < 64; ++bit)
    if (const LayerKernel* f = r.fallbacks[bit]; f && f->plugin && f->plugin == plugin) {
      fallback_layer_bits.fetch_and(~(uint64_t{1} << bit));
      r.fallbacks[bit] = awaited_layer_kernel(bit);
    }
  for (int role = 0; role < kRoles; ++role)
    if (r.role_plugins[role] == plugin) {
      r.roles[role].store(nullptr);
      r.role_plugins[role].clear();
    }
}

}  // namespace tenon
