/* operator.h - operators, kernels and the one calling convention.
 *
 * An operator is a schema, the facts about it (kind, promotion, device rule, tags) and, by kind, an infer function or a
 * decomposition. A kernel is code for an operator under a key: a device type, a layer, or any device. All calls, from
 * every language and through every layer, have one form: arrays of tagged values on the caller's stack.
 *
 * Forms. One operator is called in three forms, each with a handle of its own:
 *   functional   results are made and owned by the caller (+1); rets may hold anything before the call
 *   out          rets hold, before and after, the caller's tensors to write; nothing changes hands
 *   in-place     the first argument is written; rets may be absent (nrets 0), else they hold it, borrowed, afterwards
 * Layers and kernels see the outputs of the last two in `rets` from the start, borrowed.
 *
 * What a kernel may rely on. `nargs` is the schema's count; tags are checked; defaults are filled; an int is widened to
 * float where the schema says float, a single int to a list where it says int[n]. Structured kernels (kinds pointwise,
 * reduction, structured) find outputs of the inferred form in rets, borrowed; kernels of kind direct and decompositions
 * fill rets with owned results. On error the core drops what was filled.
 *
 * What a kernel never sees. A tensor of a layout that its caps do not list, and a tensor that another provider defined
 * (TN_META_PROVIDER_DEFINED): such calls go to the kernels that may see all their tensors, else to the decomposition,
 * else they are errors. With a tensor of another layout than strided among the arguments a kernel of any kind makes its
 * results itself, as direct ones do, for no infer function says how they lie; the out and in-place forms then do not
 * exist, but for rows that are in-place only.
 */
#ifndef TENON_OPERATOR_H
#define TENON_OPERATOR_H

#include <tenon/plan.h>
#include <tenon/schema.h>
#include <tenon/tensor.h>
#include <tenon/thread.h>

typedef enum tn_form {
  TN_FUNCTIONAL = 0,
  TN_OUT = 1,
  TN_INPLACE = 2
} tn_form;

/* One call on its way through the layers. Allocated by the core; valid until the kernel returns. */
struct tn_frame {
  const tn_host *host;
  const tn_op *op;
  uint64_t layers;     /* still below the running kernel */
  const tn_plan *plan; /* set for kernels whose caps say TN_CAP_PLAN */
  tn_device device;    /* where the call runs; type TN_DEVICE_NONE while a call has no tensor and no device argument */
  tn_stream *stream;   /* the current stream there; null on devices without streams */
  uint32_t form;       /* tn_form */
  uint32_t flags;      /* TN_THREAD_* of the calling thread */
  /* private members of the core follow */
};

/* Runs an operator or passes it on. `state` is what the registration gave. */
typedef tn_status (*tn_kernel_fn)(tn_frame *frame, void *state, const tn_value *args, uint32_t nargs, tn_value *rets,
                                  uint32_t nrets);

/* Answers what the outputs look like, from arguments' metadata alone: no allocation, no data is read. Writes one
 * tn_meta per result; the core has preset device (of the call) and zeroed the rest. */
typedef tn_status (*tn_infer_fn)(tn_frame *frame, void *state, const tn_value *args, uint32_t nargs, tn_meta *rets,
                                 uint32_t nrets);

/* Refuses arguments that make no sense together, from values and metadata alone. The core asks once it knows the dtype
 * that the call computes in and before it makes or resizes an output: on every device, also where no kernel runs since
 * there are no elements or no data. Kernels need not ask again. */
typedef tn_status (*tn_check_fn)(tn_frame *frame, void *state, tn_dtype compute, const tn_value *args, uint32_t nargs);

/* 1 when the kernel wants this call. Pure; runs before anything is written. */
typedef int32_t (*tn_accepts_fn)(const tn_frame *frame, void *state, const tn_value *args, uint32_t nargs);

/* Where an operator's outputs and code come from. */
typedef enum tn_op_kind {
  TN_KIND_POINTWISE = 1,  /* outputs follow from broadcasting and the promotion class; kernels get a plan */
  TN_KIND_REDUCTION = 2,  /* arguments named dim, keepdim and dtype say what is reduced; kernels get a plan */
  TN_KIND_STRUCTURED = 3, /* infer says what the outputs are; kernels get them */
  TN_KIND_DIRECT = 4,     /* the kernel makes its results: views, data-dependent sizes, lists written in place */
  TN_KIND_COMPOSITE = 5   /* a decomposition; kernels are optional */
} tn_op_kind;

/* How a pointwise or reduction operator's dtypes follow from its inputs'. c is their common dtype after PyTorch's
 * rules: by category, tensors with dimensions before 0-dim tensors before numbers. */
typedef enum tn_promotion {
  TN_PROMOTE_COMMON = 0, /* computes in c, results in c */
  TN_PROMOTE_FLOAT = 1,  /* c, or the default float dtype when c is integral */
  TN_PROMOTE_BOOL = 2,   /* computes in c, results in bool */
  TN_PROMOTE_REAL = 3,   /* computes in c, results in c's real dtype: abs */
  TN_PROMOTE_SUM = 4,    /* reductions: i64 when c is bool or integral */
  TN_PROMOTE_INDEX = 5,  /* reductions: computes in c, results in i64 */
  TN_PROMOTE_FIRST = 6,  /* computes and results in the first tensor's dtype: copy_, fill_, random */
  TN_PROMOTE_SECOND = 7  /* as COMMON, but without the first argument, which is a bool condition: where */
} tn_promotion;

/* Which device a call runs on. */
typedef enum tn_device_rule {
  TN_DEVICE_SAME = 0,     /* all tensors on one; a 0-dim host tensor may join any */
  TN_DEVICE_OF_FIRST = 1, /* the first tensor's; other tensors are copied over when they live elsewhere */
  TN_DEVICE_ARGUMENT = 2, /* the argument named device; else the first tensor's; else the thread's default */
  TN_DEVICE_ANY = 3       /* not restricted; the call runs where its first tensor is */
} tn_device_rule;

/* What an operator is, for layers, tools and capture. */
#define TN_OP_VIEW (1u << 0)           /* results share memory with arguments as the schema says */
#define TN_OP_RNG (1u << 1)            /* draws random numbers */
#define TN_OP_DATA_DEPENDENT (1u << 2) /* sizes of results depend on values */
#define TN_OP_SYNCHRONIZES (1u << 3)   /* the host waits for the device */
#define TN_OP_SIDE_EFFECT (1u << 4)
#define TN_OP_NONDETERMINISTIC (1u << 5)
#define TN_OP_UPDATES_SELF (1u << 6)        /* outputs start as copies of, or are, the first argument: scatter, copy_ */
#define TN_OP_NO_OUT (1u << 7)              /* the out form does not exist */
#define TN_OP_INPLACE (1u << 8)             /* the in-place form exists */
#define TN_OP_INPLACE_ONLY (1u << 9)        /* declared as `name_`; neither a functional nor an out form exists */
#define TN_OP_RETURNS_ARGUMENT (1u << 10)   /* may return an argument itself: contiguous, to */
#define TN_OP_NOT_DIFFERENTIABLE (1u << 11) /* results carry no gradient: comparisons, argmax */
#define TN_OP_COMPLEX_REJECTED (1u << 12)   /* complex arguments are an error rather than a missing kernel */

typedef struct tn_op_desc {
  uint32_t size;
  uint32_t flags; /* TN_OP_* */
  const char *schema;
  const char *doc;
  uint16_t kind;        /* tn_op_kind */
  uint16_t promotion;   /* tn_promotion */
  uint16_t device_rule; /* tn_device_rule */
  uint16_t reserved;
  tn_infer_fn infer;          /* structured */
  tn_kernel_fn decomposition; /* composite; optional for others: used where a device has no kernel */
  void *state;                /* handed to infer, decomposition and check */
  tn_check_fn check;          /* pointwise and reduction, optional; others refuse in infer or in what they run */
} tn_op_desc;

/* What a kernel can take; the core makes arguments fit or goes to the next provider. Zeros mean: any strided layout,
 * any dtype, no plan, outputs must not share memory with inputs. */
#define TN_CAP_PLAN 1u       /* wants frame->plan; operands of any dtype in it convert block by block */
#define TN_CAP_CONTIGUOUS 2u /* needs row-major tensors */
#define TN_CAP_ALIAS_SAFE 4u /* outputs may be the very tensors that are inputs */
#define TN_CAP_DETERMINISTIC 8u
#define TN_CAP_CAPTURABLE 16u

typedef struct tn_caps {
  uint32_t size;
  uint32_t flags;   /* TN_CAP_* */
  uint64_t dtypes;  /* TN_DTYPE_BIT set: with a plan of the compute dtype, else of every tensor argument; 0 = any */
  uint32_t layouts; /* bit per tn_layout; 0 = strided only; nothing else with a plan */
  int32_t max_ndim; /* 0 = any */
} tn_caps;

#define TN_ANY_DEVICE "any"

typedef struct tn_kernel_desc {
  uint32_t size;
  uint32_t flags;       /* reserved, 0 */
  const char *op;       /* "add.Tensor" */
  const char *device;   /* a device type's name or TN_ANY_DEVICE; null when `layer` is set */
  const char *layer;    /* a layer's name; null when `device` is set */
  const char *provider; /* null: the plugin's name */
  tn_kernel_fn fn;
  void *state;
  tn_accepts_fn accepts; /* optional */
  tn_caps caps;
  uint64_t schema_hash; /* 0: not checked; else a kernel of an older schema gets its prefix of arguments */
} tn_kernel_desc;

TN_EXTERN_C_BEGIN

/* ---- finding --------------------------------------------------------------------------------------------------- */

/* The handle for an operator, valid for the process. `name` "add" and `overload` "Tensor" ("" where there is none, null
 * for the only overload or the first declared); "add_" is the in-place form, overload "Tensor_out" (or "out") the out
 * form. Loads the plugins whose manifests declare the operator. `schema_hash` 0 accepts any schema. */
TN_API tn_status tn_resolve_op(const char *name, const char *overload, uint64_t schema_hash, const tn_op **out);

/* The same operator in another form; error when its row has none. */
TN_API tn_status tn_op_form(const tn_op *op, tn_form form, const tn_op **out);
TN_API tn_form tn_op_own_form(const tn_op *op);

TN_API const tn_schema *tn_op_schema(const tn_op *op); /* of the functional form (of the only form, if in-place only) */
TN_API const tn_op_desc *tn_op_facts(const tn_op *op);
/* All operators known now, in order of declaration. The functional (or only) form of each. */
TN_API size_t tn_op_count(void);
TN_API const tn_op *tn_op_at(size_t index);
/* The overloads of one name, in order of declaration, as tn_op_at does; loads plugins as tn_resolve_op does. */
TN_API size_t tn_op_overloads(const char *name, const tn_op **ops, size_t capacity);

/* ---- calling --------------------------------------------------------------------------------------------------- */

/* Calls an operator. Trailing arguments with defaults may be left off. Arguments are borrowed. */
TN_API tn_status tn_call(const tn_op *op, const tn_value *args, uint32_t nargs, tn_value *rets, uint32_t nrets);

/* The same under another thread state, which lasts as long as the call: for layers that start a call afresh. */
TN_API tn_status tn_call_with(const tn_thread_state *state, const tn_op *op, const tn_value *args, uint32_t nargs,
                              tn_value *rets, uint32_t nrets);

/* From inside a layer's kernel: continues at the next lower layer or the device. The arrays may be the layer's own.
 * Does not consume the frame and may be called several times. */
TN_API tn_status tn_next(tn_frame *frame, const tn_value *args, uint32_t nargs, tn_value *rets, uint32_t nrets);

/* As tn_next, but the lower layers are computed anew from these arguments: for layers that unwrap. */
TN_API tn_status tn_redispatch(tn_frame *frame, const tn_value *args, uint32_t nargs, tn_value *rets, uint32_t nrets);

/* Memory that lives until the running kernel returns. Null without memory. */
TN_API void *tn_scratch(tn_frame *frame, size_t nbytes);

/* ---- registering: from a plugin's entry; applies when the entry returns success ---------------------------------- */

TN_API tn_status tn_register_op(tn_plugin *plugin, const tn_op_desc *desc);
TN_API tn_status tn_register_kernel(tn_plugin *plugin, const tn_kernel_desc *desc);
/* One kernel for every operator under a layer that has none of its own there. */
TN_API tn_status tn_register_fallback(tn_plugin *plugin, const char *layer, tn_kernel_fn fn, void *state);

/* Facts that plugins attach to operators: "tenon.derivative", "tenon.autocast". `data` must live as long as the plugin;
 * `device` is null for every device. A second one for the same operator, name and device is an error. */
TN_API tn_status tn_register_attribute(tn_plugin *plugin, const char *op, const char *attribute, const char *device,
                                       uint32_t version, const void *data);
/* The attribute for a device type, else the one for every device, else null. */
TN_API const void *tn_op_attribute(const tn_op *op, const char *attribute, int32_t device_type, uint32_t version);

/* Says which operator does a job that the core itself needs: "copy" is (Tensor(a!) self, Tensor src, ...) and converts
 * dtypes; "fill" is (Tensor(a!) self, Scalar value). */
TN_API tn_status tn_register_role(tn_plugin *plugin, const char *role, const char *op);

TN_EXTERN_C_END

#endif
