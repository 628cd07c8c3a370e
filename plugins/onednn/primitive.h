// primitive.h - compiled primitives, kept by what they were compiled for.
#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime.h"

namespace onednn {

// What tells one primitive from another: numbers in a fixed order per kind, begun by the kind and
// the thread count.
class Key {
 public:
  explicit Key(const char* kind, int threads) : bytes_(kind) { add(threads); }
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

// A compiled primitive and what it wants its operands to look like.
struct Primitive {
  dnnl::primitive run;
  dnnl::memory::desc scratchpad;
  // By DNNL_ARG_*: the form an operand must have, where that may differ from the tensor's.
  std::vector<std::pair<int, dnnl::memory::desc>> wanted;
};
using PrimitivePointer = std::shared_ptr<const Primitive>;

// How many are kept.
void set_cache_capacity(size_t count);

PrimitivePointer cache_find(const Key& key);
PrimitivePointer cache_keep(const Key& key, Primitive primitive);

// The primitive for `key`, made by make() where it is not there yet. Two threads may make it at
// once; one is kept.
template <class Make>
PrimitivePointer cached(const Key& key, Make&& make) {
  if (PrimitivePointer found = cache_find(key)) return found;
  return cache_keep(key, make());
}

inline dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

// The operands of one execution. Inputs and outputs that the primitive wants in another form are
// reordered through memory of the frame.
class Execution {
 public:
  Execution(const tn::Frame& frame, PrimitivePointer primitive)
      : frame_(frame), primitive_(std::move(primitive)) {}
  // `desc` is the tensor's form where it differs from its plain geometry (kernels with groups).
  void input(int arg, const tn_tensor* t, const dnnl::memory::desc& desc);
  void output(int arg, const tn_tensor* t, const dnnl::memory::desc& desc);
  void run();

 private:
  struct Copy {
    dnnl::memory from, to;
  };
  const dnnl::memory::desc* wanted(int arg) const;
  dnnl::memory scratch(const dnnl::memory::desc& desc) const;
  static void reorder(const Copy& copy);

  const tn::Frame& frame_;
  PrimitivePointer primitive_;
  std::unordered_map<int, dnnl::memory> args_;
  std::vector<Copy> after_;
};

}  // namespace onednn
