/* explain.h - what the runtime knows and decides, as text for people and JSON for programs.
 *
 * Each function returns a string in memory of tn_value_alloc, wrapped in a tn_value that the caller drops.
 */
#ifndef TENON_EXPLAIN_H
#define TENON_EXPLAIN_H

#include <tenon/operator.h>

TN_EXTERN_C_BEGIN

/* Plugins found, chosen or skipped and why; devices; the processor's features; configuration with origins. */
TN_API tn_status tn_doctor(int32_t json, tn_value *out);

/* How a call would travel: layers, providers tried with reasons, kernel, conversions of arguments. Nothing runs. A call
 * that would fail is explained too; only arguments that do not fit the schema are an error here. */
TN_API tn_status tn_explain(const tn_op *op, const tn_value *args, uint32_t nargs, int32_t json, tn_value *out);

/* The providers with kernels for an operator on a device type, the preferred one first, separated by ", "; "" when
 * there is none. Kernels for any device count on each. Loads the plugins that promise such kernels. */
TN_API tn_status tn_op_providers(const tn_op *op, int32_t device_type, tn_value *out);

TN_EXTERN_C_END

#endif
