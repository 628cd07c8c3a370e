// Tenon's rows, one file for each group.
#pragma once

#include <tenon/sdk.h>

#include "row.h"

namespace bench {

void add_pointwise_rows();
void add_reduce_rows();
void add_gemm_rows();
void add_product_rows();
void add_conv_rows();
void add_memory_rows();
void add_attention_rows();
void add_training_rows();

}  // namespace bench
