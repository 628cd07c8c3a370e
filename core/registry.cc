#include "core/registry.h"

#include <algorithm>
#include <cstring>

#include <tenon/autograd.h>

#include "core/error.h"
#include "core/guard.h"
#include "core/loader.h"
#include "core/locks.h"
#include "core/once.h"
#include "core/registry_state.h"
#include "core/restricted.h"
#include "core/suggest.h"

namespace tenon {
namespace {

constexpr uint32_t kFirstCells = 64;

// Room for a cell at `dense`. Lock::kRegistry is held.
std::atomic<const Cell*>& cell_slot(Operator& op, uint32_t dense) {
  const uint32_t count = op.cell_count.load(std::memory_order_relaxed);
  if (dense >= count) {
    const uint32_t wanted = std::max(kFirstCells, dense + 1);
    if (count) registry().replaced.push_back(op.cells.load(std::memory_order_relaxed));
    auto* cells = new std::atomic<const Cell*>[wanted]();
    for (uint32_t i = 0; i < count; ++i) cells[i].store(op.cells.load()[i].load());
    op.cells.store(cells, std::memory_order_release);
    op.cell_count.store(wanted, std::memory_order_release);
  }
  return op.cells.load(std::memory_order_relaxed)[dense];
}

// Fills cell.planned. A kernel that must be asked hides those behind it.
void plan_ahead(Cell& cell, const Operator& op) {
  for (int d = 0; d < kDtypeCount; ++d)
    for (const Kernel* k : cell.candidates) {
      if (!(k->caps.flags & TN_CAP_PLAN) || !(k->caps.dtypes & TN_DTYPE_BIT(d))) continue;
      if (!k->accepts && k->nargs >= op.nargs) cell.planned[d] = k;
      break;
    }
}

// The kernels of one device in the providers' order, those for any device last. Lock::kRegistry is
// held.
const Cell* build_cell(const Operator& op, std::string_view device,
                       const std::vector<std::string>& order, uint32_t device_flags) {
  auto* cell = new Cell;
  cell->has_data = !(device_flags & TN_DEVICE_NO_DATA);
  auto rank = [&](const Kernel* k) {
    if (k->device == TN_ANY_DEVICE) return order.size() + 1;
    return static_cast<size_t>(std::find(order.begin(), order.end(), k->plugin) - order.begin());
  };
  for (const auto& k : op.kernels)
    if (k->device == device || k->device == TN_ANY_DEVICE) cell->all.push_back(k.get());
  std::stable_sort(cell->all.begin(), cell->all.end(),
                   [&](const Kernel* a, const Kernel* b) { return rank(a) < rank(b); });
  for (const Kernel* k : cell->all)
    if (k->caps.layouts >> TN_STRIDED & 1) cell->candidates.push_back(k);
  if (!cell->candidates.empty() && cell->candidates[0]->takes_all)
    cell->first_takes_all = cell->candidates[0];
  plan_ahead(*cell, op);
  return cell;
}

// "acme.swiglu", as people write it, is "acme::swiglu" in schemas, where a dot starts the overload.
std::string canonical(std::string_view name) {
  std::string text(name);
  if (const size_t dot = text.find('.'); dot != std::string::npos) text.replace(dot, 1, "::");
  return text;
}
std::string dotted(std::string_view name) {
  std::string text(name);
  if (const size_t colons = text.find("::"); colons != std::string::npos)
    text.replace(colons, 2, ".");
  return text;
}

const tn_op* own_form(const Operator& op) {
  return &op.forms[op.desc.flags & TN_OP_INPLACE_ONLY ? TN_INPLACE : TN_FUNCTIONAL];
}

// The operator and form that a name and an overload mean, among those registered; null when there
// is none.
const tn_op* find_form(std::string_view name, const char* overload) {
  const Locked lock(Lock::kRegistry);
  Registry& r = registry();
  auto pick = [&](std::string_view base, std::string_view wanted, bool any) -> Operator* {
    auto it = r.by_name.find(base);
    if (it == r.by_name.end()) return nullptr;
    Operator* first = nullptr;
    for (Operator* op : it->second) {
      if (op->retired) continue;
      if (op->schema->overload == wanted) return op;
      if (!first) first = op;
    }
    return any ? first : nullptr;
  };
  const bool any = overload == nullptr;
  const std::string_view wanted = any ? "" : overload;
  if (Operator* op = pick(name, wanted, any)) return own_form(*op);
  if (name.ends_with("_"))
    if (Operator* op = pick(name.substr(0, name.size() - 1), wanted, any))
      return &op->forms[TN_INPLACE];
  if (wanted == "out")
    if (Operator* op = pick(name, "", true)) return &op->forms[TN_OUT];
  if (wanted.ends_with("_out"))
    if (Operator* op = pick(name, wanted.substr(0, wanted.size() - 4), false))
      return &op->forms[TN_OUT];
  return nullptr;
}

std::string overload_names(std::string_view name) {
  const Locked lock(Lock::kRegistry);
  Registry& r = registry();
  std::string text;
  if (auto it = r.by_name.find(name); it != r.by_name.end())
    for (const Operator* op : it->second)
      text += std::string(text.empty() ? "" : ", ") + op->name();
  return text;
}

tn_status not_found(const char* name, const char* overload) {
  const std::string overloads = overload_names(canonical(name));
  if (!overloads.empty())
    return TN_ERROR(TN_NOT_FOUND, "operator \"%s\" has no overload \"%s\"; it has %s", name,
                    overload ? overload : "", overloads.c_str());
  std::vector<std::string> names;
  {
    const Locked lock(Lock::kRegistry);
    Registry& r = registry();
    for (const auto& [known, ops] : r.by_name) names.emplace_back(known);
  }
  if (names.empty())
    return TN_ERROR(
        TN_NOT_FOUND,
        "no operator \"%s\": no plugin that declares operators is loaded (`tenon doctor` says why)",
        name);
  return TN_ERROR(TN_NOT_FOUND, "no operator \"%s\"%s", name, suggestion(name, names).c_str());
}

tn_status no_such_form(const Operator& op, tn_form form) {
  static constexpr const char* kNames[] = {"functional", "out", "in-place"};
  return TN_ERROR(TN_NOT_IMPLEMENTED, "operator %s has no %s form", op.name(), kNames[form]);
}

}  // namespace

std::atomic<uint64_t> fallback_layer_bits{kRestrictedBit};

Registry::Registry() {
  static constexpr LayerKernel kRestricted = {run_restricted};
  fallbacks[__builtin_ctzll(kRestrictedBit)] = &kRestricted;
}

namespace {

constinit Once<Registry> once;

}  // namespace

Registry& registry() {
  return once.get();
}

tn_status check_tie(const Operator& op, const Cell& cell, std::string_view device) {
  if (cell.candidates.size() < 2) return nullptr;
  const Kernel &a = *cell.candidates[0], &b = *cell.candidates[1];
  if (a.device != device || b.device != device || a.plugin == b.plugin ||
      !provider_tie(a.plugin, b.plugin, device))
    return nullptr;
  return TN_ERROR(TN_RUNTIME_ERROR,
                  "plugins %s and %s both provide %s on %s with one priority; say which comes "
                  "first in tenon.toml: "
                  "[providers] %s = [\"%s\", \"%s\"]",
                  a.plugin.c_str(), b.plugin.c_str(), op.name(), a.device.c_str(), a.device.c_str(),
                  a.plugin.c_str(), b.plugin.c_str());
}

tn_status provider_number(const std::string& name, uint32_t* out) {
  const Locked lock(Lock::kRegistry);
  Registry& r = registry();
  auto found = std::find(r.providers.begin(), r.providers.end(), name);
  if (found == r.providers.end()) {
    if (r.providers.size() == kProviderMask >> kProviderShift)
      return TN_ERROR(TN_RUNTIME_ERROR, "provider %s is one more than tensors can tell apart",
                      name.c_str());
    found = r.providers.insert(r.providers.end(), name);
  }
  *out = static_cast<uint32_t>(found - r.providers.begin()) + 1;
  return nullptr;
}

std::string provider_name(uint32_t number) {
  const Locked lock(Lock::kRegistry);
  Registry& r = registry();
  return r.providers[number - 1];
}

void forget_cells(Operator& op) {
  Registry& r = registry();
  const uint32_t count = op.cell_count.load();
  for (uint32_t i = 0; i < count; ++i)
    if (const Cell* cell = op.cells.load()[i].exchange(nullptr, std::memory_order_acq_rel)) {
      cell->forgotten = r.forgotten;
      r.forgotten = cell;
    }
}

void forget_layer_kernels(Operator& op, std::string_view plugin) {
  const LayerKernel* kernels = op.layer_kernels.load();
  for (int bit = 0; kernels && bit < 64; ++bit)
    if (kernels[bit].plugin && kernels[bit].plugin == plugin)
      op.layers.fetch_and(~(uint64_t{1} << bit));
}

int role_index(std::string_view name) {
  if (name == "copy") return static_cast<int>(Role::copy);
  if (name == "fill") return static_cast<int>(Role::fill);
  return -1;
}

tn_status role_op(Role role, const tn_op** out) {
  Registry& r = registry();
  const int index = static_cast<int>(role);
  *out = r.roles[index].load(std::memory_order_acquire);
  if (*out) return nullptr;
  return TN_ERROR(TN_NOT_FOUND,
                  "the core needs an operator for the role \"%s\" and no plugin binds one; load "
                  "the plugin that declares "
                  "operators (`tenon doctor` lists what was found)",
                  role == Role::copy ? "copy" : "fill");
}

const LayerKernel& layer_kernel(const Operator& op, int bit) {
  if (op.layers.load(std::memory_order_acquire) >> bit & 1)
    return op.layer_kernels.load(std::memory_order_acquire)[bit];
  return *registry().fallbacks[bit].load(std::memory_order_acquire);
}

tn_status cell_for(Operator& op, int32_t device_type, const Cell** out) {
  if ((*out = cell_if_built(op, device_type))) return nullptr;
  return guard([&]() -> tn_status {
    const std::string device = tn_device_name(device_type);
    if (tn_status s = load_for_kernel(dotted(op.name()), device)) return s;
    const std::vector<std::string> order = provider_order(device);
    std::unique_ptr<const Cell> cell;
    {
      const Locked lock(Lock::kRegistry);
      cell.reset(build_cell(op, device, order, tn_device_flags(device_type)));
    }
    if (tn_status s = check_tie(op, *cell, device)) return s;
    const Locked lock(Lock::kRegistry);
    std::atomic<const Cell*>& slot =
        cell_slot(op, static_cast<uint32_t>(device_dense(device_type)));
    if (const Cell* other = slot.load())
      *out = other;  // another thread was faster
    else
      slot.store(*out = cell.release(), std::memory_order_release);
    return nullptr;
  });
}

bool has_derivative_on(const Operator& op, int32_t device_type) {
  return tn_op_attribute(own_form(op), TN_DERIVATIVE_ATTRIBUTE, device_type, 1) != nullptr;
}

std::string devices_with_kernel(const Operator& op) {
  const Locked lock(Lock::kRegistry);
  std::string text;
  for (const auto& k : op.kernels) {
    const std::string item = k->device + " (" + k->provider + ")";
    if (text.find(item) == std::string::npos) text += (text.empty() ? "" : ", ") + item;
  }
  return text;
}

// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_status tn_resolve_op(const char* name, const char* overload, uint64_t schema_hash,
                               const tn_op** out) {
  return guard([&]() -> tn_status {
    if (tn_status s = ensure_init()) return s;
    const std::string wanted = canonical(name);
    const tn_op* op = find_form(wanted, overload);
    if (!op) {
      if (tn_status s = load_for_operator(dotted(wanted))) return s;
      std::string base = dotted(wanted);
      if (!(op = find_form(wanted, overload)) && base.ends_with("_")) {
        base.pop_back();
        if (tn_status s = load_for_operator(base)) return s;
        op = find_form(wanted, overload);
      }
    }
    if (!op) return not_found(name, overload);
    if (!op->exists) return no_such_form(*op->entry, op->form);
    if (schema_hash != 0 && op->entry->schema->hash != schema_hash)
      return TN_ERROR(
          TN_INCOMPATIBLE,
          "operator %s has another schema than the caller was built with: now it is \"%s\"",
          op->entry->name(), op->entry->schema->text);
    *out = op;
    return nullptr;
  });
}

TN_API tn_status tn_op_form(const tn_op* op, tn_form form, const tn_op** out) {
  if (form < TN_FUNCTIONAL || form > TN_INPLACE)
    return TN_ERROR(TN_INVALID_ARGUMENT, "form %d is none of functional, out and in-place", form);
  const tn_op& wanted = op->entry->forms[form];
  if (!wanted.exists) return no_such_form(*op->entry, form);
  *out = &wanted;
  return nullptr;
}

TN_API tn_form tn_op_own_form(const tn_op* op) {
  return op->form;
}
TN_API const tn_schema* tn_op_schema(const tn_op* op) {
  return op->entry->schema;
}
TN_API const tn_op_desc* tn_op_facts(const tn_op* op) {
  return &op->entry->desc;
}

TN_API size_t tn_op_count(void) {
  const Locked lock(Lock::kRegistry);
  Registry& r = registry();
  return r.operators.size();
}

TN_API const tn_op* tn_op_at(size_t index) {
  const Locked lock(Lock::kRegistry);
  Registry& r = registry();
  return index < r.operators.size() ? own_form(*r.operators[index]) : nullptr;
}

TN_API size_t tn_op_overloads(const char* name, const tn_op** ops, size_t capacity) {
  const tn_op* first = nullptr;
  if (tn_status s = tn_resolve_op(name, nullptr, 0, &first)) {
    tn_status_release(s);
    return 0;
  }
  const Locked lock(Lock::kRegistry);
  Registry& r = registry();
  const auto it = r.by_name.find(first->entry->schema->name);
  size_t count = 0;
  for (const Operator* op : it->second) {
    if (op->retired) continue;
    if (count < capacity) ops[count] = own_form(*op);
    ++count;
  }
  return count;
}

TN_API const void* tn_op_attribute(const tn_op* op, const char* attribute, int32_t device_type,
                                   uint32_t version) {
  const std::vector<Attribute>* all = op->entry->attributes.load(std::memory_order_acquire);
  if (!all) return nullptr;
  const void* general = nullptr;
  for (const Attribute& a : *all) {
    if (a.version != version || a.name != attribute) continue;
    if (a.device.empty())
      general = a.data;
    else if (a.device == tn_device_name(device_type))
      return a.data;
  }
  return general;
}

}  // extern "C"

}  // namespace tenon
