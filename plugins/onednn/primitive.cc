#include "primitive.h"

#include <list>
#include <unordered_map>
#include <utility>

namespace onednn {
namespace {

// Least recently used last.
struct Cache {
  using Entry = std::pair<std::string, PrimitivePointer>;
  std::atomic<size_t> capacity{512};
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
  cache().capacity = count;
}

PrimitivePointer cache_find(const Key& key) {
  Cache& c = cache();
  const auto found = c.places.find(key.bytes());
  if (found == c.places.end()) return nullptr;
  c.entries.splice(c.entries.begin(), c.entries, found->second);
  return found->second->second;
}

PrimitivePointer cache_keep(const Key& key, PrimitivePointer made) {
  Cache& c = cache();
  c.shrink(c.capacity - 1);
  std::list<Cache::Entry> one;  // in both or, without memory, in none
  one.emplace_front(key.bytes(), made);
  c.places.emplace(key.bytes(), one.begin());
  c.entries.splice(c.entries.begin(), one);
  return made;
}

struct Primitive::Arguments {
  struct Memories {
    dnnl::memory given, wanted;  // `wanted` only where they differ
  };
  std::vector<Memories> memories;  // as places_
  dnnl::memory scratchpad;
  std::vector<dnnl_exec_arg_t> list;
};

Primitive::Primitive(dnnl::primitive run, const dnnl::memory::desc& scratchpad,
                     const Operands& inputs, const Operands& outputs)
    : run_(std::move(run)), scratchpad_(scratchpad), scratchpad_bytes_(scratchpad.get_size()) {
  const auto place = [&](const Operand& o, bool is_output) {
    Place p{o, !o.given.is_zero(), is_output, {}, 0};
    if (p.is_present && o.given != o.wanted) {
      const auto &from = is_output ? o.wanted : o.given, &to = is_output ? o.given : o.wanted;
      p.reorder = dnnl::reorder(dnnl::reorder::primitive_desc(engine(), from, engine(), to));
      p.bytes = o.wanted.get_size();
    }
    places_.push_back(std::move(p));
  };
  for (const Operand& o : inputs) place(o, false);
  for (const Operand& o : outputs) place(o, true);
}

Primitive::~Primitive() {
  delete idle_.load();
}

std::unique_ptr<Primitive::Arguments> Primitive::take_arguments() const {
  std::unique_ptr<Arguments> a(idle_.exchange(nullptr, std::memory_order_acquire));
  if (a) return a;
  a = std::make_unique<Arguments>();
  const auto empty = [](const dnnl::memory::desc& desc) {
    return dnnl::memory(desc, engine(), DNNL_MEMORY_NONE);
  };
  for (const Place& p : places_) {
    Arguments::Memories m;
    if (p.is_present) {
      m.given = empty(p.operand.given);
      if (p.reorder) m.wanted = empty(p.operand.wanted);
      a->list.push_back({p.operand.arg, (p.reorder ? m.wanted : m.given).get()});
    }
    a->memories.push_back(std::move(m));
  }
  if (scratchpad_bytes_ > 0) {
    a->scratchpad = empty(scratchpad_);
    a->list.push_back({DNNL_ARG_SCRATCHPAD, a->scratchpad.get()});
  }
  return a;
}

void Primitive::execute(const tn::Frame& frame,
                        std::initializer_list<const tn_tensor*> tensors) const {
  std::unique_lock first_run(making, std::defer_lock);
  if (!has_run_.load(std::memory_order_acquire)) first_run.lock();
  std::unique_ptr<Arguments> a = take_arguments();
  const tn_tensor* const* tensor = tensors.begin();
  for (size_t i = 0; i < places_.size(); ++i, ++tensor) {
    const Place& p = places_[i];
    if (!p.is_present) continue;
    Arguments::Memories& m = a->memories[i];
    m.given.set_data_handle((*tensor)->dl.data);
    if (!p.reorder) continue;
    m.wanted.set_data_handle(frame.scratch<char>(p.bytes));
    if (!p.is_output) p.reorder.execute(stream(), m.given, m.wanted);
  }
  if (scratchpad_bytes_ > 0) a->scratchpad.set_data_handle(frame.scratch<char>(scratchpad_bytes_));
  const dnnl_status_t status = dnnl_primitive_execute(
      run_.get(), stream().get(), static_cast<int>(a->list.size()), a->list.data());
  if (status != dnnl_success) throw dnnl::error(status, "could not execute a primitive");
  for (size_t i = 0; i < places_.size(); ++i)
    if (places_[i].is_output && places_[i].reorder)
      places_[i].reorder.execute(stream(), a->memories[i].wanted, a->memories[i].given);
  stream().wait();
  has_run_.store(true, std::memory_order_release);
  delete idle_.exchange(a.release(), std::memory_order_acq_rel);
}

}  // namespace onednn
