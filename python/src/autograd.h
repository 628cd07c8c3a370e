// autograd.h - gradients, through the interface "tenon.autograd" of whichever plugin implements it.
//
// The interface is fetched when something needs it. Merely asking a tensor whether it requires
// gradients does not: while no plugin has been asked to record anything, none can.
#pragma once
#include "ref.h"

namespace tenon_python {

bool requires_grad(tn_tensor* tensor);
// Sets an exception on failure.
bool set_requires_grad(tn_tensor* tensor, bool on);

extern const PyMethodDef autograd_methods[];
extern const PyGetSetDef autograd_getset[];
extern const PyMethodDef autograd_functions[];  // of the module

}  // namespace tenon_python
