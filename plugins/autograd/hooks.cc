#include "hooks.h"

#include <algorithm>

#include "meta.h"

namespace tn::graph {

namespace {

std::atomic<uint64_t> last_id{0};

HookList& need_hooks(Node& node) {
  if (!node.hooks) node.hooks = new HookList;
  return *node.hooks;
}

void run_one(const Node& node, Hook& hook, tn_tensor*& grad) {
  tn_tensor* answer = nullptr;
  tn_status status = hook.fn(hook.context, grad, &answer);
  if (status)
    throw Error(
        api->status_annotate(status, "in a hook on the gradient of %s", node.type->name(node)));
  if (!answer) return;
  Tensor replacement = Tensor::own(answer);
  const Tensor before = Tensor::own(std::exchange(grad, nullptr));
  if (replacement.sizes() != before.sizes() || replacement.dtype() != before.dtype() ||
      replacement.device() != before.device())
    fail(TN_RUNTIME_ERROR,
         "a hook on the gradient of %s returned %s for %s; size, dtype and device must stay",
         node.type->name(node), replacement.describe().c_str(), before.describe().c_str());
  grad = replacement.release();
}

void keep(tn_tensor* weak, tn_tensor* grad) {
  const Tensor tensor = Tensor::own(api->tensor_lock(weak));
  if (!tensor.defined()) return;
  Meta& meta = need_meta(tensor.get());
  const Tensor previous = Tensor::own(std::exchange(meta.grad, api->tensor_retain(grad)));
}

}  // namespace

void release(Hook* hook) noexcept {
  if (hook->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (hook->destroy) hook->destroy(hook->context);
  delete hook;
}

HookList::~HookList() {
  for (const Entry& entry : entries) release(entry.hook);
  for (const Retained& entry : retained) api->tensor_weak_release(entry.tensor);
}

uint64_t add_hook(tn_tensor* tensor, tn_grad_hook_fn fn, void* context, void (*destroy)(void*)) {
  const Edge edge = gradient_edge(tensor);
  if (!edge.node)
    fail(TN_RUNTIME_ERROR, "a hook on %s, which requires no gradient; call requires_grad_() first",
         Tensor::share(tensor).describe().c_str());
  Meta& meta = need_meta(tensor);
  HookList& list = need_hooks(*edge.node);
  list.entries.reserve(list.entries.size() + 1);
  meta.hooks.reserve(meta.hooks.size() + 1);
  Hook* hook = new Hook{{2}, ++last_id, fn, context, destroy};
  list.entries.push_back({edge.index, hook});
  meta.hooks.push_back(hook);
  return hook->id;
}

void remove_hook(tn_tensor* tensor, uint64_t id) {
  Meta* meta = find_meta(tensor);
  const auto same = [id](const Hook* hook) { return hook->id == id; };
  const auto end = meta ? meta->hooks.end() : std::vector<Hook*>::iterator{};
  const auto found = meta ? std::find_if(meta->hooks.begin(), end, same) : end;
  if (found == end)
    fail(TN_NOT_FOUND, "%s has no hook %llu; it was removed already, or added to another tensor",
         Tensor::share(tensor).describe().c_str(), static_cast<unsigned long long>(id));
  Hook* hook = *found;
  meta->hooks.erase(found);
  hook->fn = nullptr;  // where an older node still has it, it no longer runs
  if (Node* node = gradient_edge(tensor).node; node && node->hooks) {
    auto& entries = node->hooks->entries;
    const auto entry =
        std::find_if(entries.begin(), entries.end(), [hook](auto& e) { return e.hook == hook; });
    if (entry != entries.end()) {
      entries.erase(entry);
      release(hook);
    }
  }
  release(hook);
}

void retain_gradient(tn_tensor* tensor, Node& node, uint32_t output) {
  need_hooks(node).retained.push_back({output, tensor});
  api->tensor_weak_retain(tensor);
}

void move_retained(tn_tensor* tensor, Node* from, Node& to, uint32_t output) {
  retain_gradient(tensor, to, output);
  if (!from || !from->hooks) return;
  auto& retained = from->hooks->retained;
  const auto entry = std::find_if(retained.begin(), retained.end(),
                                  [tensor](auto& r) { return r.tensor == tensor; });
  if (entry == retained.end()) return;
  retained.erase(entry);
  api->tensor_weak_release(tensor);
}

void run_hooks(Node& node, tn_tensor** grads) {
  // A hook may add hooks or remove itself: the list is copied, and each hook is held while it runs.
  std::vector<HookList::Entry> entries = node.hooks->entries;
  for (const auto& entry : entries) entry.hook->references.fetch_add(1, std::memory_order_relaxed);
  struct Release {
    std::vector<HookList::Entry>& entries;
    ~Release() {
      for (const auto& entry : entries) release(entry.hook);
    }
  } const held{entries};
  for (const auto& entry : entries)
    if (entry.hook->fn && grads[entry.output]) run_one(node, *entry.hook, grads[entry.output]);
  if (!node.hooks) return;
  for (const auto& entry : node.hooks->retained)
    if (grads[entry.output]) keep(entry.tensor, grads[entry.output]);
}

}  // namespace tn::graph
