// guard.h - the edge towards the interpreter, which no C++ exception may cross.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <new>
#include <stdexcept>
#include <type_traits>

namespace tenon_python {

template <auto function>
struct Guarded;

template <class Result, class... Args, Result (*function)(Args...)>
struct Guarded<function> {
  static Result call(Args... args) {
    try {
      return function(args...);
    } catch (const std::bad_alloc&) {
      PyErr_NoMemory();
    } catch (const std::length_error&) {  // a container of more than any memory holds
      PyErr_NoMemory();
    }
    // How a function of Python's C API says that an exception is set.
    if constexpr (std::is_pointer_v<Result>)
      return nullptr;
    else
      return -1;
  }
};

// What a table for the interpreter holds in place of `function`: lack of memory is MemoryError.
template <auto function>
inline constexpr auto guarded = &Guarded<function>::call;

}  // namespace tenon_python
