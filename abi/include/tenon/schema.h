/* schema.h - an operator's signature, parsed.
 *
 * The text is PyTorch's grammar: `add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`. Alias
 * annotations `(a)`, `(a!)` and `(a -> *)` say which results share memory with which arguments and what is written.
 */
#ifndef TENON_SCHEMA_H
#define TENON_SCHEMA_H

#include <tenon/status.h>
#include <tenon/value.h>

typedef enum tn_type {
  TN_TYPE_TENSOR = 0,
  TN_TYPE_INT = 1, /* also SymInt */
  TN_TYPE_FLOAT = 2,
  TN_TYPE_BOOL = 3,
  TN_TYPE_SCALAR = 4, /* int, float, bool or complex */
  TN_TYPE_STRING = 5,
  TN_TYPE_DTYPE = 6, /* written ScalarType */
  TN_TYPE_DEVICE = 7,
  TN_TYPE_LAYOUT = 8,
  TN_TYPE_MEMORY_FORMAT = 9,
  TN_TYPE_OBJECT = 10 /* Generator, Stream or any name that is no other type */
} tn_type;

#define TN_PARAM_OPTIONAL 1u      /* `?` after the type: none is allowed */
#define TN_PARAM_LIST 2u          /* `[]` or `[n]` */
#define TN_PARAM_LIST_OPTIONAL 4u /* Tensor?[]: entries may be absent */
#define TN_PARAM_KEYWORD_ONLY 8u  /* stands after `*` */
#define TN_PARAM_HAS_DEFAULT 16u
#define TN_PARAM_WRITTEN 32u   /* `!` in the alias annotation */
#define TN_PARAM_ALIAS_ALL 64u /* `-> *`: results in a list may alias it */

/* One argument or result. */
typedef struct tn_param {
  const char *name;     /* "" for an unnamed result */
  uint16_t type;        /* tn_type */
  uint16_t flags;       /* TN_PARAM_* */
  uint32_t list_length; /* the n of `[n]`: a single element stands for n of them; 0 when not given */
  uint64_t alias_sets;  /* bit per letter a..z */
  tn_value default_value;
} tn_param;

typedef struct tn_schema {
  uint32_t size;
  uint32_t flags;
  const char *name;      /* "add" */
  const char *overload;  /* "Tensor", or "" */
  const char *full_name; /* "add.Tensor", or "relu" */
  const char *text;      /* the text it was parsed from */
  uint32_t nargs;
  uint32_t nrets;
  uint32_t nrequired;   /* leading arguments without a default */
  uint32_t npositional; /* arguments before `*` */
  const tn_param *args;
  const tn_param *rets;
  uint64_t hash; /* of the names, types and order of arguments and results, not of the text */
} tn_schema;

TN_EXTERN_C_BEGIN

/* Parses `text`. The result is one block of memory, freed by tn_schema_free. Errors point at the place. */
TN_API tn_status tn_schema_parse(const char *text, tn_schema **out);
TN_API void tn_schema_free(tn_schema *schema);

TN_EXTERN_C_END

#endif
