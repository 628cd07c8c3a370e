#include "primitive.h"

#include <list>
#include <mutex>
#include <unordered_map>

namespace onednn {
namespace {

// Least recently used last.
struct Cache {
  using Entry = std::pair<std::string, PrimitivePointer>;
  std::mutex mutex;
  size_t capacity = 512;
  std::list<Entry> entries;
  std::unordered_map<std::string, std::list<Entry>::iterator> places;

  void shrink(size_t to) {
    while (entries.size() > to) {
      places.erase(entries.back().first);
      entries.pop_back();
    }
  }
};

// Never destroyed: other threads may run while the process ends.
Cache& cache() {
  static Cache* const kept = new Cache;
  return *kept;
}

}  // namespace

void set_cache_capacity(size_t count) {
  Cache& c = cache();
  std::lock_guard lock(c.mutex);
  c.capacity = count > 0 ? count : 1;
  c.shrink(c.capacity);
}

PrimitivePointer cache_find(const Key& key) {
  Cache& c = cache();
  std::lock_guard lock(c.mutex);
  const auto found = c.places.find(key.bytes());
  if (found == c.places.end()) return nullptr;
  c.entries.splice(c.entries.begin(), c.entries, found->second);
  return found->second->second;
}

PrimitivePointer cache_keep(const Key& key, Primitive primitive) {
  auto made = std::make_shared<const Primitive>(std::move(primitive));
  Cache& c = cache();
  std::lock_guard lock(c.mutex);
  if (const auto found = c.places.find(key.bytes()); found != c.places.end())
    return found->second->second;
  c.shrink(c.capacity - 1);
  c.entries.emplace_front(key.bytes(), made);
  c.places.emplace(key.bytes(), c.entries.begin());
  return made;
}

const dnnl::memory::desc* Execution::wanted(int arg) const {
  for (const auto& [known, desc] : primitive_->wanted)
    if (known == arg) return &desc;
  return nullptr;
}

dnnl::memory Execution::scratch(const dnnl::memory::desc& desc) const {
  return {desc, engine(), frame_.scratch<char>(desc.get_size())};
}

void Execution::reorder(const Copy& copy) {
  const dnnl::reorder::primitive_desc desc(copy.from, copy.to);
  dnnl::reorder(desc).execute(stream(), const_cast<dnnl::memory&>(copy.from),
                              const_cast<dnnl::memory&>(copy.to));
}

void Execution::input(int arg, const tn_tensor* t, const dnnl::memory::desc& desc) {
  dnnl::memory given(desc, engine(), t->dl.data);
  const dnnl::memory::desc* const form = wanted(arg);
  if (!form || *form == desc) {
    args_.emplace(arg, std::move(given));
    return;
  }
  dnnl::memory copy = scratch(*form);
  reorder({given, copy});
  args_.emplace(arg, std::move(copy));
}

void Execution::output(int arg, const tn_tensor* t, const dnnl::memory::desc& desc) {
  dnnl::memory given(desc, engine(), t->dl.data);
  const dnnl::memory::desc* const form = wanted(arg);
  if (!form || *form == desc) {
    args_.emplace(arg, std::move(given));
    return;
  }
  dnnl::memory made = scratch(*form);
  args_.emplace(arg, made);
  after_.push_back({std::move(made), std::move(given)});
}

void Execution::run() {
  if (primitive_->scratchpad.get_size() > 0)
    args_.emplace(DNNL_ARG_SCRATCHPAD, scratch(primitive_->scratchpad));
  primitive_->run.execute(stream(), args_);
  for (const Copy& copy : after_) reorder(copy);
  stream().wait();
}

}  // namespace onednn
