// ref.h - owners of the two kinds of references the extension handles.
//
// Python's object references and the core's tensor references are both counted by hand in C. Every
// owned one lives in one of these, so that each early return gives it back.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <tenon/tenon.h>

#include <memory>
#include <utility>

namespace tenon_python {

// An owned PyObject, or nothing.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  static Ref borrow(PyObject* object) { return Ref(Py_XNewRef(object)); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

struct TensorRelease {
  void operator()(tn_tensor* tensor) const { tn_tensor_release(tensor); }
};
using TensorRef = std::unique_ptr<tn_tensor, TensorRelease>;

// For out-parameters: `failed(tn_tensor_cast(t, dtype, receive(result)))`.
template <class T>
class Receive {
 public:
  explicit Receive(T& target) : target_(target) {}
  ~Receive() { target_.reset(pointer_); }
  operator tn_tensor**() { return &pointer_; }

 private:
  T& target_;
  tn_tensor* pointer_ = nullptr;
};
inline Receive<TensorRef> receive(TensorRef& target) {
  return Receive<TensorRef>(target);
}

// A result of the core that has to be dropped.
struct OwnedValue : tn_value {
  OwnedValue() : tn_value{} {}
  OwnedValue(const OwnedValue&) = delete;
  OwnedValue& operator=(const OwnedValue&) = delete;
  ~OwnedValue() { tn_value_drop(this); }
};

// Lets other Python threads run for the length of a scope.
class GilRelease {
 public:
  explicit GilRelease(bool release = true) : state_(release ? PyEval_SaveThread() : nullptr) {}
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;
  ~GilRelease() {
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }

 private:
  PyThreadState* state_;
};

// Takes the interpreter from a thread that may or may not hold it, as callbacks of the core do.
class GilAcquire {
 public:
  GilAcquire() : state_(PyGILState_Ensure()) {}
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;
  ~GilAcquire() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

// Method tables hold one function type; the flags beside it say what it really is.
template <class F>
PyCFunction as_method(F* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace tenon_python
