/* tenon.h - all of Tenon for C and C++ programs: include this, link -ltenon.
 *
 *   tn_status status = tn_init(TN_ABI_MAJOR, TN_ABI_MINOR);
 *   const tn_op *add;
 *   status = tn_resolve_op("add", "Tensor", 0, &add);
 *   tn_value args[2] = {...}, sum;
 *   status = tn_call(add, args, 2, &sum, 1);
 */
#ifndef TENON_TENON_H
#define TENON_TENON_H

#include <tenon/autograd.h>
#include <tenon/host.h>
#include <tenon/safetensors.h>

#endif
