/* plan.h - iteration plans: what an element-wise or reduction kernel loops over.
 *
 * The core has already promoted, broadcast, allocated and checked. A plan lists the operands, outputs first, over one
 * loop nest whose dimensions are sorted (index 0 is the innermost, smallest stride) and merged where memory allows.
 * Broadcast dimensions have stride 0. Numbers that stand for tensors are operands with all strides 0 whose data points
 * at one element of the compute dtype, kept in the plan.
 */
#ifndef TENON_PLAN_H
#define TENON_PLAN_H

#include <tenon/base.h>

#define TN_PLAN_MAX_OPERANDS 8

#define TN_PLAN_CONTIGUOUS 1u /* ndim <= 1 and each operand is dense in it or a scalar */
#define TN_PLAN_SAME_DTYPE 2u /* each operand's dtype is the compute dtype */

typedef struct tn_plan_operand {
  void *data;
  const int64_t *strides; /* bytes, ndim entries */
  uint16_t dtype;         /* tn_dtype in memory */
  uint16_t flags;         /* reserved, 0 */
  uint32_t element_size;
} tn_plan_operand;

struct tn_plan {
  uint32_t size;
  uint32_t flags; /* TN_PLAN_* */
  int32_t ndim;
  uint16_t noutputs;
  uint16_t noperands; /* outputs and inputs */
  uint16_t
      compute_dtype; /* what the kernel computes in: inputs convert to it, results from it (comparisons: to bool) */
  uint16_t reserved;
  uint32_t reserved2;
  int64_t numel;         /* of the loop nest */
  uint64_t reduced;      /* bit d: dimension d is reduced away; outputs have stride 0 in it */
  int64_t reduced_numel; /* elements that go into one output element; 1 when element-wise */
  const int64_t *shape;  /* ndim entries, innermost first */
  tn_plan_operand operands[TN_PLAN_MAX_OPERANDS];
  /* private members of the core follow */
};

#endif
