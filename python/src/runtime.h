// runtime.h - functions of the module that are about the process and the thread, not about one
// tensor.
#pragma once
#include "ref.h"

namespace tenon_python {

extern const PyMethodDef thread_functions[];  // thread.cc: grad mode, default dtype, threads, seeds
extern const PyMethodDef inspect_functions[];  // inspect.cc: configuration, plugins, doctor, memory

}  // namespace tenon_python
