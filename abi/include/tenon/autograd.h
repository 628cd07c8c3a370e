/* autograd.h - the interface "tenon.autograd" version 1, and the attribute "tenon.derivative" version 1.
 *
 * The first is what programs use; the second is how an operator's owner says what its gradient is. Both are data and
 * functions of the ABI, so operators of vendors and standard operators are differentiated by the same road.
 */
#ifndef TENON_AUTOGRAD_H
#define TENON_AUTOGRAD_H

#include <tenon/operator.h>

#define TN_AUTOGRAD_INTERFACE "tenon.autograd"
#define TN_DERIVATIVE_ATTRIBUTE "tenon.derivative"

/* One call seen from its backward side. Tensor arguments and results that no formula reads are none; a list that none
 * reads keeps its length, with null entries. */
typedef struct tn_backward {
  uint32_t size;
  uint32_t flags;
  const tn_host *host;
  const tn_op *op;
  const tn_value *args; /* of the forward call; saved tensors are unpacked */
  uint32_t nargs;
  uint32_t nrets;
  const tn_value *rets;    /* saved results, or none */
  tn_tensor *const *grads; /* of the results; null where nothing arrived */
  const tn_meta *const
      *arg_metas; /* of the tensor arguments, saved or not; for a list one per entry; null for others */
  const tn_meta *const *ret_metas;
  uint64_t needed; /* bit i: the gradient of argument i is asked for */
} tn_backward;

/* Computes the gradients of the arguments in `formula->args` that are needed: grads[i] for argument i, owned by the
 * caller; none means zero. For a Tensor[] argument, tensors (a list). Calls operators, so that it can itself be
 * differentiated. A gradient of broadcast shape is summed to its argument's by the engine. */
typedef struct tn_formula tn_formula;
typedef tn_status (*tn_formula_fn)(const tn_backward *call, const tn_formula *formula, tn_value *grads);

struct tn_formula {
  uint64_t args;       /* bit i: computes the gradient of argument i */
  uint64_t reads_args; /* bit i: reads the values of tensor argument i */
  uint64_t reads_rets; /* bit i: reads the values of result i */
  tn_formula_fn fn;
};

/* How formulas take complex numbers. The gradient of a real function L of z = x + iy is dL/dx + i dL/dy, as in PyTorch.
 * With neither flag, autograd refuses calls through which a gradient of a complex tensor would flow. */
#define TN_DERIVATIVE_HOLOMORPHIC \
  1u /* written as for real numbers, grad * f'(x): autograd conjugates the gradients that go in and come out */
#define TN_DERIVATIVE_COMPLEX 2u /* right for complex numbers as they stand */

typedef struct tn_derivative {
  uint32_t size;
  uint32_t flags; /* TN_DERIVATIVE_* */
  uint32_t nformulas;
  uint32_t reserved;
  const tn_formula *formulas;
  uint64_t differentiable_rets; /* bit i: result i carries gradients */
} tn_derivative;

/* A hook on a tensor's gradient: may return another tensor (owned) or null to keep it. Runs on the thread of backward.
 */
typedef tn_status (*tn_grad_hook_fn)(void *context, tn_tensor *grad, tn_tensor **out);

#define TN_BACKWARD_RETAIN_GRAPH 1u
#define TN_BACKWARD_CREATE_GRAPH 2u /* and retains the graph */
#define TN_BACKWARD_ALLOW_UNUSED 4u

typedef struct tn_autograd {
  uint32_t size;
  uint32_t flags;
  /* Leaves only. Error: the dtype is neither float nor complex, or the tensor has a grad_fn and `on` is 0. */
  tn_status (*set_requires_grad)(tn_tensor *tensor, int32_t on);
  int32_t (*requires_grad)(tn_tensor *tensor);
  int32_t (*is_leaf)(tn_tensor *tensor);
  /* The name of the operator that made it ("mul"), or null for a leaf. */
  const char *(*grad_fn_name)(tn_tensor *tensor);
  /* Borrowed; null when there is none. */
  tn_tensor *(*grad)(tn_tensor *tensor);
  /* Retains `grad`; null removes it. Error: another shape, dtype or device. */
  tn_status (*set_grad)(tn_tensor *tensor, tn_tensor *grad);
  /* Keeps the gradient of a tensor that is no leaf. */
  tn_status (*retain_grad)(tn_tensor *tensor);
  /* Accumulates into the grad of leaves. grads[i] may be null for a tensor of one element. flags: TN_BACKWARD_*. */
  tn_status (*backward)(tn_tensor *const *tensors, tn_tensor *const *grads, uint32_t count, uint32_t flags);
  /* Gradients of `outputs` with respect to `inputs`, owned, into `results`; null where unused and allowed. No leaf's
   * grad changes. */
  tn_status (*grad_of)(tn_tensor *const *outputs, tn_tensor *const *grads, uint32_t noutputs, tn_tensor *const *inputs,
                       uint32_t ninputs, uint32_t flags, tn_tensor **results);
  /* `id` names it for remove_hook; destroy(context) runs when the hook goes, and not on failure. */
  tn_status (*add_hook)(tn_tensor *tensor, tn_grad_hook_fn fn, void *context, void (*destroy)(void *), uint64_t *id);
  tn_status (*remove_hook)(tn_tensor *tensor, uint64_t id);
} tn_autograd;

#endif
