// primitive.h - compiled primitives, kept by what they were compiled for.
#pragma once
#include <atomic>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime.h"

namespace onednn {

// What tells one primitive from another: numbers in a fixed order per kind, begun by the kind and
// the thread count. Every fact that its operands' descriptions are made of must be here.
class Key {
 public:
  explicit Key(const char* kind, int threads) {
    bytes_.reserve(384);
    bytes_ = kind;
    add(threads);
  }
  void add(int64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(const int64_t* numbers, size_t count) {
    add(static_cast<int64_t>(count));
    bytes_.append(reinterpret_cast<const char*>(numbers), count * sizeof *numbers);
  }
  // Sizes, strides and dtype.
  void add(const tn_tensor* t) {
    add(t->dtype);
    add(t->dl.shape, static_cast<size_t>(t->dl.ndim));
    add(t->dl.strides, static_cast<size_t>(t->dl.ndim));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// An input or output of a primitive. Where the two forms differ it is reordered through memory of
// the frame. One of an empty form is absent, such as a bias.
struct Operand {
  int arg;                    // DNNL_ARG_*
  dnnl::memory::desc given;   // as the tensor lies
  dnnl::memory::desc wanted;  // as the primitive reads or writes it
};

using Operands = std::vector<Operand>;

// A compiled primitive. Several threads may execute it at once.
class Primitive {
 public:
  Primitive(dnnl::primitive run, const dnnl::memory::desc& scratchpad, const Operands& inputs,
            const Operands& outputs);
  ~Primitive();

  // The tensors of all operands, the inputs first, in the order of construction; null where an
  // operand is absent. They must lie as the descriptions say.
  void execute(const tn::Frame& frame, std::initializer_list<const tn_tensor*> tensors) const;

 private:
  struct Place {
    Operand operand;
    bool is_present, is_output;
    dnnl::reorder reorder;  // none where the tensor's form is the wanted one
    size_t bytes;           // of the wanted form
  };
  // oneDNN's objects for one execution at a time. Making them takes longer than a small product, so
  // they are kept for the next one.
  struct Arguments;
  std::unique_ptr<Arguments> take_arguments() const;

  dnnl::primitive run_;
  dnnl::memory::desc scratchpad_;
  size_t scratchpad_bytes_;
  std::vector<Place> places_;
  mutable std::atomic<Arguments*> idle_{nullptr};
  mutable std::atomic<bool> has_run_{false};
};
using PrimitivePointer = std::shared_ptr<const Primitive>;

// How many are kept.
void set_cache_capacity(size_t count);

// Of the cache, of all making, and of each primitive's first run, for which oneDNN makes what it
// keeps: a fork waits until none is under way, since oneDNN's own locks would stay shut in the
// child.
inline std::mutex making;

// `making` is held.
PrimitivePointer cache_find(const Key& key);
PrimitivePointer cache_keep(const Key& key, PrimitivePointer primitive);

// The primitive for `key`, made by make() where it is not there yet.
template <class Make>
PrimitivePointer cached(const Key& key, Make&& make) {
  const std::lock_guard lock(making);
  if (PrimitivePointer found = cache_find(key)) return found;
  return cache_keep(key, make());
}

inline dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

}  // namespace onednn
