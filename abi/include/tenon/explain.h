/* explain.h - what the runtime knows and decides, as text for people and JSON for programs.
 *
 * Each function returns a string in memory of tn_value_alloc, wrapped in a tn_value that the caller drops.
 */
#ifndef TENON_EXPLAIN_H
#define TENON_EXPLAIN_H

#include <tenon/operator.h>

TN_EXTERN_C_BEGIN

/* Plugins found, chosen or skipped and why; devices; configuration with origins. */
TN_API tn_status tn_doctor(int32_t json, tn_value *out);

/* How a call would travel: layers, providers tried with reasons, kernel. Nothing runs. */
TN_API tn_status tn_explain(const tn_op *op, const tn_value *args, uint32_t nargs, int32_t json, tn_value *out);

TN_EXTERN_C_END

#endif
