#include "engine.h"

#include <vector>

#include <tenon/autograd.h>

#include "meta.h"
#include "operators.h"
#include "task.h"

namespace tn::graph {

namespace {

Tensor starting_gradient(const Tensor& output, tn_tensor* given, uint32_t i) {
  if (!given) {
    if (output.numel() != 1)
      fail(TN_RUNTIME_ERROR,
           "grad can be implicitly created only for scalar outputs, and output %u is %s. Pass a "
           "gradient of that shape, or "
           "reduce it, say by sum()",
           i, output.describe().c_str());
    if (is_complex(output.dtype()))
      fail(TN_RUNTIME_ERROR,
           "grad can be implicitly created only for real scalar outputs, and output %u is %s. Pass "
           "a gradient, or make it real, say by abs() or real()",
           i, output.describe().c_str());
    return ops::filled(output.sizes(), output.get()->dtype, output.device(), 1);
  }
  const Tensor grad = Tensor::share(given);
  if (grad.sizes() != output.sizes())
    fail(TN_RUNTIME_ERROR,
         "Mismatch in shape: gradient %u is %s and its output is %s; they must have one shape", i,
         grad.describe().c_str(), output.describe().c_str());
  if (grad.device() != output.device())
    fail(TN_RUNTIME_ERROR, "gradient %u is %s and its output is %s; they must be on one device", i,
         grad.describe().c_str(), output.describe().c_str());
  if (!differentiable(given->dtype))
    fail(TN_RUNTIME_ERROR,
         "gradient %u is %s and its output is %s; a gradient is of a float or complex dtype", i,
         grad.describe().c_str(), output.describe().c_str());
  return grad.dtype() == output.dtype() ? grad : ops::cast(grad, output.dtype());
}

void start_all(Task& task, tn_tensor* const* outputs, tn_tensor* const* grads, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const Tensor output = Tensor::share(outputs[i]);
    const Edge edge = gradient_edge(outputs[i]);
    if (!edge.node)
      fail(TN_RUNTIME_ERROR,
           "element %u of tensors does not require grad and does not have a grad_fn: %s was not "
           "computed from a tensor that "
           "requires gradients, or was computed under no_grad",
           i, output.describe().c_str());
    task.start(edge, starting_gradient(output, grads ? grads[i] : nullptr, i));
  }
}

}  // namespace

void backward(tn_tensor* const* tensors, tn_tensor* const* grads, uint32_t count, uint32_t flags) {
  Task task(flags);
  start_all(task, tensors, grads, count);
  task.run();
}

void gradients_of(tn_tensor* const* outputs, tn_tensor* const* grads, uint32_t noutputs,
                  tn_tensor* const* inputs, uint32_t ninputs, uint32_t flags, tn_tensor** results) {
  struct Found {
    std::vector<tn_tensor*> list;
    ~Found() {
      for (tn_tensor* t : list)
        if (t) api->tensor_release(t);
    }
  } found;
  if (ninputs == 0) fail(TN_INVALID_ARGUMENT, "gradients are asked for, but no inputs are given");
  found.list.resize(ninputs, nullptr);
  Task task(flags);
  for (uint32_t i = 0; i < ninputs; ++i) {
    const Edge edge = gradient_edge(inputs[i]);
    if (!edge.node)
      fail(TN_RUNTIME_ERROR,
           "One of the differentiated Tensors does not require grad: input %u is %s", i,
           Tensor::share(inputs[i]).describe().c_str());
    task.capture(edge, &found.list[i]);
  }
  start_all(task, outputs, grads, noutputs);
  task.run();
  for (uint32_t i = 0; i < ninputs; ++i)
    if (!found.list[i] && !(flags & TN_BACKWARD_ALLOW_UNUSED))
      fail(TN_RUNTIME_ERROR,
           "One of the differentiated Tensors appears to not have been used in the graph: input %u "
           "(%s). Set "
           "allow_unused=True (TN_BACKWARD_ALLOW_UNUSED) if this is the desired behavior",
           i, Tensor::share(inputs[i]).describe().c_str());
  for (uint32_t i = 0; i < ninputs; ++i) results[i] = std::exchange(found.list[i], nullptr);
}

}  // namespace tn::graph
